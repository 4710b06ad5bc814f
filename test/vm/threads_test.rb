# frozen_string_literal: true

require_relative "support/manual_session"

# Threads, and the labels that they have at the tick.
class VmThreadsTest < Minitest::Test
  include ManualSession

  def work = Native.tick

  def test_threads_are_numbered_as_they_are_seen
    data = session { 3.times { |number| Thread.new { (number + 1).times { work } }.join } }
    ticks = samples_at(data, "VmThreadsTest#work").to_h { |sample| [sample[2], sample.count] }
    assert_equal [1, 2, 3], ticks.sort.map(&:last)
    assert_equal 3, ticks.keys.uniq.length
    refute_includes ticks.keys, main_thread(data)
  end

  def main_thread(data) = data[:samples].find { |sample| labels(sample).include?("ManualSession#session") && !labels(sample).include?("VmThreadsTest#work") }[2]

  def test_threads_of_before_the_session
    go = Queue.new
    thread = Thread.new { go.pop; work }
    data = session { go << true; thread.join }
    assert_equal 1, assert_leaf(data, "VmThreadsTest#work").count
    assert_equal 1, samples_at(data, "VmThreadsTest#work").first[0].count { |_path, label| label == "VmThreadsTest##{__method__}" }
  end

  def test_a_thread_of_an_earlier_session_begins_anew
    go = Queue.new
    thread = Thread.new { 2.times { go.pop; work } }
    session { go << true; Thread.pass until go.num_waiting == 1 && go.empty? }
    data = session { go << true; thread.join }
    assert_equal 1, assert_leaf(data, "VmThreadsTest#work").count
  end

  def test_stop_in_another_thread
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS)
    work
    data = Thread.new { stop }.value
    assert_equal 1, assert_leaf(data, "VmThreadsTest#work").count
    refute_predicate Native, :running?
  end

  # What the samples of the method are labelled with.
  def steps(data, *leaf)
    sets = data.fetch(:label_sets)
    samples_at(data, *leaf).map { |sample| sets.fetch(sample[3])[:step] }
  end

  def step(name) = Native.set_labels(step: name)

  def test_labels_are_those_of_the_tick
    data = session do
      step "3"
      [Native].sort_by(&:tick)
      step "7"
      work
      step nil
      work
      Thread.new { work }.join
    end
    assert_equal ["3"], steps(data, "Enumerable#sort_by")
    assert_equal [nil, nil, "7"], steps(data, "VmThreadsTest#work").sort_by(&:to_s)
  end

  def test_labels_that_change_before_the_safepoint
    data = session do
      step "3"
      capture
      step "5"
    end
    assert_equal ["3"], steps(data, "VmThreadsTest#capture")
  end

  # Equal stacks, but other labels.
  def test_ticks_with_different_labels
    relabel = Object.new
    def relabel.tick = Rperf::Native.set_labels(step: "5")
    data = session { [Native, relabel, Native].map(&:tick) }
    assert_equal [nil, "5"], steps(data, "Array#map").sort_by(&:to_s)
    assert_equal [1, 1], samples_at(data, "Array#map").map(&:count)
  end

  def capture = Native.tick

  BURNT = 0.005

  # A thread of which a tick meets the method, if there is one, and which computes on without it.
  def short_thread(method = nil)
    Thread.new do
      send(method) if method
      finish = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + BURNT
      Integer.sqrt(7) while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < finish
    end.join
  end

  def weight(data, leaf) = samples_at(data, leaf).sum { |sample| sample[1] }

  # What threads run after their last ticks is theirs, unless another short thread gets a tick.
  def test_threads_that_end_before_the_next_tick
    %i[cpu wall].each do |mode|
      data = session(mode:) { %i[work capture].each { |method| short_thread(method) } }
      assert_equal [], data[:dropped].keys, mode
      assert_operator weight(data, "VmThreadsTest#capture"), :>=, BURNT * 1_000_000_000, mode
      first = nil
      data = session(mode:) { short_thread(:work); first = snapshot(true); short_thread(:capture) }
      assert_operator weight(first, "VmThreadsTest#work"), :>=, BURNT * 1_000_000_000, mode
      assert_operator weight(data, "VmThreadsTest#capture"), :>=, BURNT * 1_000_000_000, mode
      assert_equal [], first[:dropped].keys + data[:dropped].keys, mode
    end
  end

  # It is shown when they ended, not when the session did.
  def test_in_order_it_is_at_the_end_of_the_thread
    data = session(mode: :wall, timeline: true) { [:work, nil].each { |method| short_thread(method) } }
    moments = samples_at(data, "VmThreadsTest#work").map(&:moment_ns)
    assert_equal 2, moments.length
    assert_operator moments.max, :<=, data[:duration_ns] - (BURNT * 1_000_000_000)
  end

  def test_time_of_threads_that_no_tick_has_met
    data = session { short_thread }
    assert_equal 1, data[:dropped].fetch("thread ended")[:samples]
    assert_operator data[:dropped]["thread ended"][:weight_ns], :>=, BURNT * 1_000_000_000
  end
end
