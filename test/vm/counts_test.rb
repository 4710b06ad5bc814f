# frozen_string_literal: true

require_relative "support/manual_session"

# How many ticks a profile tells of, merged or not, at once or in parts.
class VmCountsTest < Minitest::Test
  include ManualSession

  LEAF = ["Enumerable#sort_by", "Array#each", "Enumerable#sort_by", "VmCountsTest#ticks_without_safepoint"].freeze

  # So many ticks with equal frames, and no safepoint between them. (What rperf itself does is
  # charged to its caller.)
  def ticks_without_safepoint(number) = ([Native] * number).sort_by(&:tick)
  def one = Native.tick
  def other = Native.tick

  def test_equal_stacks_are_merged
    data = session { 7.times { one }; 3.times { other } }
    assert_equal [7, 3], [count(samples_at(data, "VmCountsTest#one")), count(samples_at(data, "VmCountsTest#other"))]
    assert_equal 1, samples_at(data, "VmCountsTest#one").length
    assert_equal 10, data[:trigger_count]
    assert_equal 10, data[:sampling_count]
  end

  def test_equal_ticks_without_a_safepoint_are_merged
    data = session { ticks_without_safepoint(500) }
    assert_equal 500, assert_leaf(data, *LEAF).count
    assert_empty data[:dropped]
  end

  def test_without_aggregation_every_tick_is_a_sample
    data = session(aggregate: false) do
      ticks_without_safepoint(500)
      7.times { one }
    end
    assert_equal [500, 7], [samples_at(data, *LEAF).length, samples_at(data, "VmCountsTest#one").length]
    # No tick has met what was open at the end.
    assert_equal [0, 1], data[:samples].map(&:count).uniq.sort
    # Steps of the collector are events.
    assert_equal data[:sampling_count], data[:samples].sum(&:count) - data[:event_count]
    assert_equal 507, data[:sampling_count]
    assert_same data[:raw_samples], data[:samples]
    refute data.key?(:aggregated_samples)
  end

  # For each thread; both clocks begin before the session and end behind it. (The collector's time
  # is wall time in both modes.)
  def test_the_weights_are_the_time
    {cpu: Process::CLOCK_THREAD_CPUTIME_ID, wall: Process::CLOCK_MONOTONIC}.each do |mode, clock|
      before = Process.clock_gettime(clock, :nanosecond)
      data = session(mode:) { GC.disable; 200.times { one } }
      spent = Process.clock_gettime(clock, :nanosecond) - before
      by_thread = data[:samples].group_by { |sample| sample[2] }.transform_values { |samples| samples.sum { |sample| sample[1] } }
      by_thread.each_value { |weight| assert_includes 1..spent, weight, mode }
    end
  ensure
    GC.enable
  end

  # What rperf does then takes longer than a short program.
  def test_nothing_counts_after_the_program_has_ended
    before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    spent = nil
    data = session do
      GC.disable
      3.times { one }
      Native.note_program_end
      spent = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) - before
      20_000.times { |number| number.to_s }
      3.times { other }
      Native.note_program_end
    end
    assert_empty samples_at(data, "VmCountsTest#other")
    assert_includes 1..spent, data[:samples].sum { |sample| sample[1] }
    assert_equal 3, count(samples_at(data, "VmCountsTest#one")), "no tick has met what is open at the end"
  ensure
    GC.enable
  end

  def test_snapshots_sum_up
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS)
    3.times { one }
    first = snapshot(false)
    2.times { one }
    second = snapshot(true)
    4.times { one }
    last = stop
    assert_equal([3, 5, 4], [first, second, last].map { |data| count(samples_at(data, "VmCountsTest#one")) })
    assert_nil snapshot(true)
    assert_nil stop
  end

  def test_a_tick_outside_of_a_session_is_nothing
    one
    data = session { one }
    assert_equal 1, data[:trigger_count]
    one
    refute_predicate Native, :running?
  end
end
