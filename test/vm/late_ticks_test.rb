# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/manual_session"

# Ticks that another thread takes from outside, but hands over when the thread has given up the GVL, or collects: what it gave
# it up for may take only microseconds to come to.
class VmLateTicksTest < Minitest::Test
  include ManualSession

  # So often the thread goes on: the tick may be handed over at any of these, however busy the machine is.
  TIMES = 20

  def looked_at(read) = Native.look_late(read)

  # A thread is looked at and gives up the GVL. What happens until it goes on is the block's. Returns the data.
  def late_tick(read:)
    session(mode: :wall) do
      queue = Queue.new
      thread = Thread.new { looked_at(read) && nil || wait_for(queue) }
      TIMES.times do
        Thread.pass until queue.num_waiting == 1 || !thread.alive?
        yield
        queue << true
      end
      thread.join
    end
  end

  def wait_for(queue) = TIMES.times { queue.pop }

  def test_frames_that_were_read_in_time_count
    data = late_tick(read: true) { nil }

    assert_equal 1, samples_at(data, "VmLateTicksTest#looked_at").sum(&:count), stacks(data).inspect
    assert_empty samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for"), stacks(data).inspect
  end

  def test_after_a_collection_what_stands_counts
    data = late_tick(read: true) { GC.start }

    assert_equal 1, samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for").sum(&:count), stacks(data).inspect
    assert_empty samples_at(data, "VmLateTicksTest#looked_at")
  end

  def test_without_frames_what_stands_counts
    data = late_tick(read: false) { nil }

    assert_equal 1, samples_at(data, "Thread::Queue#pop", "VmLateTicksTest#wait_for").sum(&:count), stacks(data).inspect
  end

  def collect = TIMES.times { GC.start }

  def test_what_runs_the_collector_counts
    data = session(mode: :wall) { looked_at(true) && nil || collect }
    found = data[:samples].select { |sample| labels(sample).include?("VmLateTicksTest#collect") && !labels(sample).first.start_with?("[GC") }

    assert_operator found.sum(&:count), :>=, 1, stacks(data).inspect
    assert_empty samples_at(data, "VmLateTicksTest#looked_at"), stacks(data).inspect
  end
end
