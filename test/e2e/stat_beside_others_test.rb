# frozen_string_literal: true

require "etc"
require_relative "../support/program"
require_relative "../../bench/accuracy/lib/neighbours"

# `rperf stat` of a program that waits for a processor: what it ran by its CPU clock, and what it
# waited, are two rows.
class StatBesideOthersTest < Minitest::Test
  include ProgramSupport

  # Computes for half a second of CPU time, and says how long that took by both clocks, in
  # milliseconds.
  PROGRAM = <<~RUBY
    clocks = [Process::CLOCK_PROCESS_CPUTIME_ID, Process::CLOCK_MONOTONIC]
    now = -> { clocks.map { |clock| Process.clock_gettime(clock, :float_millisecond) } }
    begun = now.call
    100.times { 1_000.times { |number| number ^ 1 } } until (now.call.first - begun.first) > 500
    puts now.call.zip(begun).map { |after, before| after - before }.join(" ")
  RUBY
  # Of what passed: start and end of the process, and what the sampling thread used.
  TOLERANCE = 0.15
  NEIGHBOURS = Etc.nprocessors + 1

  def test_waiting_for_a_processor_is_no_execution
    cpu, wall, rows = Accuracy::Neighbours.beside(NEIGHBOURS) { stat }
    assert_operator wall, :>, cpu * 1.2, "the neighbours take processors"
    assert_in_delta cpu, rows.fetch("CPU execution"), wall * TOLERANCE
    assert_in_delta wall - cpu, rows.fetch("[OS] CPU wait (no processor)"), wall * TOLERANCE
  end

  private

  # The program's two times, and the milliseconds of the rows by name.
  def stat
    in_directory do |directory|
      write_file(directory, "program.rb", PROGRAM)
      result = rperf("stat", "ruby", "program.rb", directory:)
      assert_equal 0, result.code, result.inspect
      rows = result.err.scan(/^ +([\d,.]+) ms +[\d.]+%  (.+)$/).to_h { |number, name| [name, number.delete(",").to_f] }
      return [*result.out.split.map(&:to_f), rows]
    end
  end
end
