# frozen_string_literal: true

require "minitest/mock"
require "rperf/continuous_session"
require_relative "../support/test_helper"

# The session of an agent, or a recorder.
class ContinuousSessionTest < Minitest::Test
  def teardown
    @session&.close
  end

  def one = Rperf.sample
  def two = Rperf.sample
  def three = Rperf.sample
  def four = Rperf.sample

  # Objects have no ticks.
  def test_a_mode_without_a_frequency
    @session = Rperf::ContinuousSession.new(mode: :heap, frequency: 99, slow: nil, by: "test")
    assert @session.open, @session.problem
    @session.frequency = 49
    assert_nil @session.frequency
    assert_equal [:heap], @session.take.map(&:mode)
  end

  def test_units_of_work_at_a_change_of_the_frequency
    @session = Rperf::ContinuousSession.new(mode: %i[cpu wall], frequency: 99, slow: nil, by: "test")
    assert @session.open, @session.problem
    names = %w[before across after].map { |name| "#{name} a change of the frequency" }
    Rperf.work(names[0]) { nil }
    Rperf.work(names[1]) { @session.frequency = 49 }
    Rperf.work(names[2]) { nil }
    assert_equal names, names & Rperf.ledger.map(&:name)
  end

  # Computes for these seconds of CPU time. Returns what it took.
  def burn(seconds)
    begun = cpu_time
    1000.times(&:to_s) while cpu_time - begun < seconds
    cpu_time - begun
  end

  def cpu_time = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # On a busy machine ticks of 1000 Hz are fewer, but not their weight. Those of 20 Hz are not: they
  # come while the thread waits for a processor, too. Another reader has all ticks in one profile.
  def test_a_change_of_the_frequency_keeps_the_session_and_its_readers
    @session = Rperf::ContinuousSession.new(mode: :cpu, frequency: 1000, slow: nil, by: "test")
    assert @session.open, @session.problem
    other = Rperf::Reader.open
    parts = [[1000, 0.3], [20, 1.0], [1000, 0.3]].map do |frequency, seconds|
      @session.frequency = frequency
      begun = now
      [burn(seconds), now - begun, ticks(frequency)]
    end
    first, slow, last = parts.map { |used, elapsed, ticks| {used: ticks / used, elapsed: ticks / elapsed} }
    assert_operator slow[:elapsed], :<, 60
    assert_operator [first, last].map { |rate| rate[:used] }.min, :>, 60
    refute_predicate other, :ended?
    used = parts.sum(&:first)
    assert_in_delta used, other.take.first.weight / 1e9, 0.15 * used
  end

  # Returns the number of ticks of a part.
  def ticks(frequency)
    profile = @session.take.first
    assert_equal [frequency] * 2, [profile.figures[:frequency], Rperf::Recording.status[:frequency]]
    profile.figures[:trigger_count]
  end

  # What a period has room for is less than a program's own session has.
  def test_what_a_period_has_room_for
    @session = Rperf::ContinuousSession.new(mode: :custom, frequency: nil, slow: nil, by: "test")
    assert @session.open, @session.problem
    9_000.times { |number| Rperf.label(number: number.to_s) { one; two; three; four } }
    data, = @session.take.map(&:to_h)
    assert_equal 32_768, data[:samples].length
    assert_equal({"stack limit" => 36_000 - 32_768}, data[:dropped].transform_values { |lost| lost[:samples] })
  end

  def begin_custom
    @session = Rperf::ContinuousSession.new(mode: :custom, frequency: nil, slow: nil, by: "test")
    assert @session.open, @session.problem
  end

  def so_far = Rperf.snapshot

  # Scrapers read the profile so far beside an agent, and take the difference of two.
  def test_what_is_so_far_grows_whatever_its_reader_takes
    begin_custom
    weights = Array.new(30) do
      one
      @session.take
      two
      so_far[:samples].sum { |_frames, weight| weight }
    end
    assert_equal 30.times.map { |number| 2 * (number + 1) }, weights
    assert_empty so_far[:dropped]
  end

  # A label for each sample: nothing can be merged. In all there is more than the profile so far
  # may take.
  def test_what_is_so_far_begins_anew_at_its_limit_and_counts_what_is_lost
    begin_custom
    sizes = Array.new(12) do |turn|
      8_000.times { |number| Rperf.label(number: "#{turn} #{number}") { one } }
      @session.take
      Rperf::Recording.snapshot(clear: false).sum(&:memory_size)
    end
    assert_operator sizes.max, :<=, Rperf::Readers::SO_FAR
    lost = so_far[:dropped]["segment limit"][:samples]
    assert_operator lost, :>, 0
    assert_equal 96_000, lost + so_far[:samples].sum { |_frames, weight| weight }
  end

  # Runs the block. The test's session, of another part, is opened when the block is about to begin
  # one: an agent and a recorder are woken together when a session of the program ends.
  def while_another_begins
    another = @session = Rperf::ContinuousSession.new(mode: :wall, frequency: 99, slow: nil, by: "test")
    all = Rperf::OwnThread.method(:all)
    waiting = true
    meanwhile = lambda do
      (waiting = false; assert another.open, another.problem) if waiting
      all.call
    end
    Rperf::OwnThread.stub(:all, meanwhile) { yield another }
  end

  def test_two_parts_that_begin_at_the_same_time_read_the_same_session
    second = Rperf::ContinuousSession.new(mode: :cpu, frequency: 99, slow: nil, by: "second")
    while_another_begins { assert second.open, second.problem }
    assert_equal ["test", [:wall]], [Rperf::Recording.started_by, second.take.map(&:mode)]
  ensure
    second.close
  end

  def test_the_frequency_is_that_of_its_own_session
    @session = Rperf::ContinuousSession.new(mode: :cpu, frequency: 99, slow: nil, by: "test")
    assert @session.open, @session.problem
    assert_equal 99, @session.frequency
    Rperf.start(frequency: 777)
    assert_nil @session.frequency
    @session.take
    assert @session.open, @session.problem
    assert_nil @session.frequency
  ensure
    Rperf.stop
  end
end
