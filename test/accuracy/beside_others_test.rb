# frozen_string_literal: true

require "etc"
require_relative "../support/program"
require_relative "../../bench/accuracy/lib/circumstance"

# A program that waits for its only processor most of the time has its ticks in cpu mode, also where
# few come.
class BesideOthersAccuracyTest < Minitest::Test
  include ProgramSupport

  # Computes for so many seconds of CPU time, and says how many that were.
  PROGRAM = <<~RUBY
    now = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) }
    begun = now.call
    500.times { |number| number ^ 1 } while now.call - begun < Float(ARGV.first)
    puts now.call - begun
  RUBY
  NEIGHBOURS = Etc.nprocessors
  # Of the ticks that its CPU time stands for. There are 0.7 to 1.7 times as many, since the kernel
  # often gives it the processor that the sampling thread leaves (once, beside other tests, 0.32);
  # and 0.05 times, at the most, where its clock is not read ahead of ticks.
  AT_LEAST = 0.2

  def test_at_low_frequencies
    Accuracy::Neighbours.beside(NEIGHBOURS) do
      {100 => 0.5, 20 => 1.0}.each do |frequency, seconds|
        used, ticks = ticks_of(seconds, frequency)
        assert_operator ticks, :>=, AT_LEAST * used * frequency, "#{frequency} Hz"
      end
    end
  end

  private

  # The CPU time that the program used, in seconds, and how many ticks it had.
  def ticks_of(seconds, frequency)
    in_directory do |directory|
      command = [*Accuracy::Circumstance::PIN, RUBY, "-e", PROGRAM, seconds.to_s]
      result = rperf("record", "-f", frequency.to_s, "-o", "p.json", *command, directory:)
      assert_equal 0, result.code, result.inspect
      [Float(result.out), Rperf.load(File.join(directory, "p.json"))[:tick_count]]
    end
  end
end
