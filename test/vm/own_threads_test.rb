# frozen_string_literal: true

require "rperf/own_thread"
require_relative "../support/burning"
require_relative "support/manual_session"

# Threads of rperf's own are in no profile, whether they are there before the session or begin in
# it.
class OwnThreadsTest < Minitest::Test
  include ManualSession

  def one = Native.tick

  # Waits off the GVL again and again, and computes in between. Returns when both are over.
  def talk(to, from)
    3.times { from.pop; one; to << true }
  end

  # Runs a thread that `start` starts, and the calling one, in turns.
  def turns(start)
    to, from = Thread::Queue.new, Thread::Queue.new
    thread = start.call(-> { talk(from, to) })
    3.times { one; to << true; from.pop(timeout: 60) || flunk("the thread has ended") }
    thread
  end

  def own = ->(body) { Rperf::OwnThread.start("rperf test", &body) }
  def others = ->(body) { Thread.new(&body) }

  # How many samples are of talk, on whatever thread.
  def talks(data) = stacks(data).count { |stack| stack.include?("OwnThreadsTest#talk") }

  def test_a_thread_that_begins_in_a_session
    talked = [others, own].map { |start| talks(session(mode: :wall) { turns(start).join }).positive? }
    assert_equal [true, false], talked
  end

  # Where processors are scarce it waits long for its first line.
  def test_a_thread_that_has_not_had_its_first_line
    waited = [others, own].map do |start|
      data = session(mode: :wall) do
        thread = start.call(-> {})
        Burning.burn(0.02)
        thread.join
      end
      samples_at(data, "[GVL wait]").any? { |sample| sample[0].length == 1 }
    end
    assert_equal [true, false], waited
  end

  def test_a_thread_that_was_there_before
    [[own, true], [others, false]].each do |start, is_own|
      to, from = Thread::Queue.new, Thread::Queue.new
      thread = start.call(-> { talk(from, to) })
      Rperf::LayoutProof.ensure
      Native.start(**OPTIONS, mode: :wall, own_threads: Rperf::OwnThread.all)
      3.times { to << true; from.pop(timeout: 60) || flunk("the thread has ended") }
      thread.join
      assert_equal !is_own, talks(stop).positive?
    end
  end

  # A record that is parked from its start to the end of the session charges nothing.
  def test_the_life_of_a_thread_that_never_takes_part
    queue = Thread::Queue.new
    body = -> { Rperf.label(key: "value") { queue.pop } }
    Rperf::LayoutProof.ensure
    [[own, {}], [others, {defer: true}]].each do |start, options|
      before = own.call(body)
      Thread.pass until before.stop?
      Native.start(**OPTIONS, mode: :wall, **options, own_threads: Rperf::OwnThread.all)
      within = start.call(body)
      Thread.pass until within.stop?
      Burning.burn(0.02)
      data = stop
      queue << true << true
      [before, within].each(&:join)
      alone = data[:samples].select { |sample| sample[0].length == 1 }

      assert_equal [[], {}], [alone, data[:dropped]], options.inspect
    end
  end

  # The session begins in it: what it allocates is neither in the profile nor lost.
  def test_a_thread_that_starts_the_session
    data, started = nil, []
    own.call(lambda {
      Rperf.start(mode: :heap, interval: 1, malloc: true, malloc_interval: 1)
      started << Thread.new { sleep }
      50.times { Object.new }
      data = Rperf.stop
    }).join
    started.each(&:kill).each(&:join)
    assert_empty data[:dropped]
    assert_empty samples_at(data, "[native thread]")
  end

  def test_only_threads_can_be_left_out
    assert_raises(TypeError) { Native.start(**OPTIONS, own_threads: [1]) }
  end
end
