# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/short_slices"

# Priorities of the program's threads while rperf ends with the process.
class ShortSlicesTest < Minitest::Test
  # A program may go on in handlers of its own end. Threads inherit the priority of their parent.
  def test_threads_have_their_priorities_again
    go, over = Thread::Queue.new, Thread::Queue.new
    parent = Thread.new { go.pop && Thread.new { over.pop } }
    threads = [-3, -1, 2].map { |priority| Thread.new { over.pop }.tap { |thread| thread.priority = priority } }
    within = Rperf::ShortSlices.during do
      go << true
      threads << parent.value
      threads.map(&:priority)
    end
    assert_equal [[-3] * 4, [-3, -1, 2, 0]], [within, threads.map(&:priority)]
  ensure
    over.close
    threads.each(&:join)
  end
end
