# frozen_string_literal: true

require "etc"
require_relative "../support/program"
require_relative "../../bench/accuracy/lib/neighbours"

# Wall mode: threads of Ractors run in turns on native threads (M:N). Their waiting for processors
# is `[CPU wait]`, as that of other threads.
class RactorsBesideOthersTest < Minitest::Test
  include ProgramSupport

  # Four Ractors, one after another, compute for 0.15 s of CPU time each. Says how long they took by
  # both clocks, in nanoseconds, and what `[CPU wait]` has.
  PROGRAM = <<~RUBY
    require "rperf"
    Warning[:experimental] = false
    data = Rperf.start(mode: :wall)
    times = 4.times.map do
      Ractor.new do
        clocks = [Process::CLOCK_THREAD_CPUTIME_ID, Process::CLOCK_MONOTONIC]
        now = -> { clocks.map { |clock| Process.clock_gettime(clock, :nanosecond) } }
        begun = now.call
        1_000.times { |number| number ^ 1 } until (now.call.first - begun.first) > 150_000_000
        now.call.zip(begun).map { |after, before| after - before }
      end.take
    end
    samples = Rperf.stop[:samples]
    waited = samples.sum { |stack, weight| stack.first.label == "[CPU wait]" ? weight : 0 }
    puts [*times.transpose.map(&:sum), waited].join(" ")
  RUBY
  # Of what passed: start and end of each Ractor, and waits before its first tick.
  TOLERANCE = 0.2

  def test_waiting_for_a_processor_is_no_execution
    in_directory do |directory|
      result = Accuracy::Neighbours.beside(Etc.nprocessors + 1) do
        run_program(RUBY, "-I", Paths::LIB, "-e", PROGRAM, directory:)
      end
      cpu, wall, waited = result.out.split.map(&:to_i)
      assert_operator wall, :>, cpu * 1.2, "the neighbours take processors"
      assert_in_delta wall - cpu, waited, wall * TOLERANCE, result.inspect
    end
  end
end
