# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/manual_session"

# Ticks that another thread takes from outside, but hands over when the thread has given up the GVL, or collects: what it gave
# it up for may take only microseconds to come to.
class VmLateTicksTest < Minitest::Test
  include ManualSession

  def looked_at(kind) = Native.look_late(kind)

  # Collections are the block's: else there is none.
  def setup = GC.disable

  def teardown
    GC.enable
    super
  end

  # A thread is looked at and gives up the GVL, again and again until the tick has been handed over; each time the block is
  # called before it goes on. Returns the data.
  def late_tick(kind)
    session(mode: :wall) do
      queue = Queue.new
      before = Native.late_looks
      thread = Thread.new { looked_at(kind) && nil || wait_for(queue) }
      until_handed_over(before) do
        Thread.pass until queue.num_waiting == 1 || !thread.alive?
        yield
        queue << true
      end
      queue.close
      thread.join
    end
  end

  def until_handed_over(before)
    loop do
      over = Native.late_looks > before
      yield
      break if over
    end
  end

  def wait_for(queue)
    nil while queue.pop
  end

  def test_frames_that_were_read_in_time_count
    data = late_tick(:frames) { nil }

    assert_equal 1, samples_at(data, "VmLateTicksTest#looked_at").sum(&:count), stacks(data).inspect
    assert_empty samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for"), stacks(data).inspect
  end

  def test_after_a_collection_what_stands_counts
    data = late_tick(:collected) { GC.start }

    assert_equal 1, samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for").sum(&:count), stacks(data).inspect
    assert_empty samples_at(data, "VmLateTicksTest#looked_at")
  end

  def test_without_frames_what_stands_counts
    data = late_tick(:no_frames) { nil }

    assert_equal 1, samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for").sum(&:count), stacks(data).inspect
  end

  # It may have slept, but what it ran until then is no sleep.
  def test_a_look_at_a_sleeper_that_comes_too_late_counts_for_nothing
    data = late_tick(:asleep) { nil }

    assert_empty samples_at(data, "VmLateTicksTest#looked_at"), stacks(data).inspect
    assert_empty samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for"), stacks(data).inspect
  end

  def collect(before)
    until_handed_over(before) { GC.start }
  end

  def test_what_runs_the_collector_counts
    before = Native.late_looks
    data = session(mode: :wall) { looked_at(:no_frames) && nil || collect(before) }
    found = data[:samples].select { |sample| labels(sample).include?("VmLateTicksTest#collect") && !labels(sample).first.start_with?("[GC") }

    assert_operator found.sum(&:count), :>=, 1, stacks(data).inspect
    assert_empty samples_at(data, "VmLateTicksTest#looked_at"), stacks(data).inspect
  end
end
