# frozen_string_literal: true

require_relative "support/manual_session"

# What rperf's own code does is in no profile, nor what it calls.
class OwnWorkTest < Minitest::Test
  include ManualSession

  # A block of a file of rperf's own.
  def own(code)
    path = File.join(Paths::LIB, "rperf/own_work.rb")
    RubyVM::InstructionSequence.compile("-> { #{code} }", path, path).eval
  end

  # Nanoseconds of CPU time that a thread takes at most after its last frame: some 20,000.
  END_OF_THREAD = 1_000_000

  # As at the end of a process: there is no method of the program's. (What the thread uses after its
  # last frame is no work of rperf.)
  def test_alone
    data = session { Thread.new(&own("1.times { Rperf::Native.tick }; GC.start")).join }
    assert_empty stacks(data).reject { |stack| stack.include?("OwnWorkTest##{__method__}") } - [["[no Ruby code]"]]
    assert_operator samples_at(data, "[no Ruby code]").sum { |sample| sample[1] }, :<, END_OF_THREAD
    assert_equal 1, data[:dropped].fetch("no tick")[:samples], "that of the tick: the program may have run just before"
  end

  def test_that_the_program_calls
    data = session { own("1.times { Rperf::Native.tick }").call }
    assert_leaf data, "OwnWorkTest##{__method__}"
  end

  def test_that_calls_the_program
    data = session { Rperf.profile { 1.times { Native.tick } } }
    assert_leaf data, "OwnWorkTest##{__method__}", "Integer#times", "OwnWorkTest##{__method__}"
  end
end
