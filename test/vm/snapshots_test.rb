# frozen_string_literal: true

require "objspace"
require_relative "support/manual_session"

# Snapshots of a session whose ticks come by hand: each period has its own, and nothing is lost
# between two.
class VmSnapshotsTest < Minitest::Test
  include ManualSession

  def setup
    Rperf::LayoutProof.ensure
  end

  def one = Native.tick
  def ticks(data) = count(samples_at(data, "VmSnapshotsTest#one"))
  def start(**options) = Native.start(**OPTIONS, **options)

  # The weight of the calling thread's samples in all parts. (The test runner has threads of its
  # own.)
  def weight(*parts)
    own = parts.flat_map { |part| part[:samples] }.find { |sample| labels(sample).include?("VmSnapshotsTest##{name}") }[2]
    parts.sum { |part| part[:samples].sum { |sample| sample[2] == own ? sample[1] : 0 } }
  end

  # Collections are charged in steps, the rest with the next one: without them every nanosecond has
  # its sample at once.
  def without_gc
    GC.disable
    yield
  ensure
    GC.enable
  end

  def test_cleared_snapshots_add_up_to_the_nanosecond
    parts = without_gc do
      start(mode: :wall)
      cleared = Array.new(20) { |number| number.times { one }; snapshot(true) }
      [*cleared, stop]
    end
    assert_equal parts.sum { |part| part[:duration_ns] }, weight(*parts)
    assert_equal [*0...20, 0], parts.map { |part| ticks(part) }
  end

  def test_one_long_profile_is_the_same_to_the_nanosecond
    data = without_gc { session(mode: :wall) { 200.times { one } } }
    assert_equal data[:duration_ns], weight(data)
  end

  def test_a_snapshot_that_does_not_clear_changes_nothing
    parts = without_gc do
      start(mode: :wall)
      [3, 4].each { |number| number.times { one }; 2.times { snapshot(false) } }
      stop
    end
    assert_equal 7, ticks(parts)
    assert_equal parts[:duration_ns], weight(parts)
  end

  # Of a thread that ended in another period nothing is known any more, its labels neither.
  def test_what_ended_threads_met_stays_in_their_period
    start
    Thread.new { Native.set_labels(thread: "first"); one }.join
    snapshot(true)
    Thread.new { one }.join
    assert_equal 1, assert_leaf(stop, "VmSnapshotsTest#one").count
  end

  def test_periods_follow_each_other
    start
    parts = [*Array.new(3) { one; snapshot(true) }, stop]
    ends = parts.map { |part| part[:start_time_ns] + part[:duration_ns] }
    assert_equal ends[0..2], parts[1..].map { |part| part[:start_time_ns] }
    assert_operator parts.first[:duration_ns], :>, 0
  end

  # The worker may be busy with the buffer that is full after 10,000 samples.
  def test_a_buffer_on_its_way_belongs_to_its_period
    start(mode: :wall)
    parts = Array.new(12) { |number| (10_000 + number).times { one }; snapshot(true) }
    assert_equal (10_000...10_012).to_a, parts.map { |part| ticks(part) }, parts.map { |part| part[:dropped] }
    assert_equal 0, ticks(stop)
  end

  def test_counters_are_those_of_the_period
    start
    parts = [5, 2].map { |number| number.times { one }; snapshot(true) }
    one
    so_far = snapshot(false)
    one
    all = [*parts, so_far, stop]
    assert_equal [5, 2, 1, 2], all.map { |part| part[:trigger_count] }
    assert_equal [5, 2, 1, 2], all.map { |part| part[:sampling_count] }
  end

  def deeper(depth) = depth.zero? ? one : deeper(depth - 1)

  # Ticks on five lines.
  def spread
    one
    one
    one
    one
    one
  end

  # The second has the stack of the last tick, to which the time since then is charged, and that of
  # the snapshot, which gives the GVL up: more than one where the machine is busy.
  def test_stacks_and_frames_are_those_of_the_period
    first, rest = without_gc do
      start
      [1, 3].each { |depth| deeper(depth) }
      spread
      [1].each { [2].map { one } }
      [Native.snapshot(true), Native.stop]
    end.map(&:to_h)
    assert_operator rest[:unique_frames], :<, first[:unique_frames]
    assert_operator rest[:unique_stacks], :<, first[:unique_stacks]
    [first, rest].each { |part| assert_distinct(part) }
  end

  # What the data say is what can be counted in them.
  def assert_distinct(data)
    frames = data[:samples].map(&:first)
    assert_equal [frames.flatten(1).uniq.length, frames.uniq.length], data.values_at(:unique_frames, :unique_stacks)
  end

  # What has no room is lost in its own period, and counted.
  def test_a_period_has_room_for_so_many_distinct_samples
    start(mode: :wall, sample_limit: 20)
    few, many, none = [5, 40, 0].map do |different|
      different.times { |number| Native.set_labels(number: number.to_s); one }
      snapshot(true)
    end
    assert_equal [{}, ["stack limit"], {}], [few[:dropped], many[:dropped].keys, none[:dropped]]
    assert_operator many[:samples].length, :<=, 20
    # Those of other threads are among the lost.
    assert_operator ticks(many) + many[:dropped]["stack limit"][:samples], :>=, 40
  end

  def test_threads_are_those_of_the_period
    start
    3.times { Thread.new { one }.join }
    first = snapshot(true)
    lasting = Thread.new { sleep }
    Thread.pass until lasting.stop?
    second = snapshot(true)
    third = snapshot(true)
    living = Thread.list.length
    assert_equal living + 2, first[:detected_thread_count]
    assert_equal [living, living], [second, third].map { |part| part[:detected_thread_count] }
  ensure
    lasting&.kill&.join
  end

  def test_a_thread_that_waits_is_charged_in_each_period
    go = Queue.new
    thread = Thread.new { go.pop }
    Thread.pass until thread.stop?
    before = now
    start(mode: :wall)
    parts = Array.new(5) { pause; snapshot(true) }
    go << true
    thread.join
    parts << stop
    spent = now - before
    waits = parts.map { |part| samples_at(part, "[GVL blocked]", "Thread::Queue#pop", "VmSnapshotsTest##{name}").sum { |sample| sample[1] } }
    parts[1..4].zip(waits[1..4]).each { |part, wait| assert_equal part[:duration_ns], wait, "all of the period" }
    assert_includes 1..parts.first[:duration_ns], waits.first
    assert_operator waits.sum, :<=, spent
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  # A moment in which the other threads could run.
  def pause
    finish = now + 2_000_000
    Thread.pass while now < finish
  end

  # Code that runs once, under a name of its own.
  def run_once(number)
    name = "once_#{number % 10}"
    object = Object.new
    object.instance_eval("def #{name}(test) = [nil].each { test.one }", "once.rb", 1)
    object.public_send(name, self)
  end

  # Those that have run.
  def names_of_code(data)
    data[:samples].flat_map { |sample| labels(sample) }.filter_map { |label| label[/(?<!in )\bonce_\d\z/] }.uniq
  end

  # How many instruction sequences there are.
  def code
    GC.start
    ObjectSpace.count_imemo_objects[:imemo_iseq]
  end

  # A program that makes code as it goes (templates, methods of single objects) would grow for
  # weeks.
  def test_code_that_ran_once_is_let_go_after_its_period
    before = code
    start
    names = without_gc { Array.new(200) { |number| run_once(number); names_of_code(snapshot(true)) } }
    assert_equal Array.new(200) { |number| ["once_#{number % 10}"] }, names
    assert_operator code - before, :<, 100
  end

  # Each object that naming makes is a collection. (In a small process: each takes as long as its
  # heap is large.)
  def test_code_of_the_period_stays_until_it_is_named
    printed = ruby(<<~'RUBY')
      def one = Rperf::Native.tick
      Rperf::LayoutProof.ensure
      GC.disable
      Rperf::Native.start(frequency: 1000, mode: :cpu, signal: nil, aggregate: true, manual: true)
      10.times do |number|
        object = Object.new
        object.instance_eval("def once_#{number} = [nil].each { TOPLEVEL_BINDING.receiver.send(:one) }")
        object.public_send("once_#{number}")
      end
      GC.enable
      GC.stress = true
      data = Rperf::Native.snapshot(true).to_h
      GC.stress = false
      puts data[:samples].flat_map { |frames,| frames.filter_map { |_path, label| label[/(?<!in )\bonce_\d\z/] } }.uniq.sort
    RUBY
    assert_equal Array.new(10) { |number| "once_#{number}" }, printed.split
  end

  # Its last stack is charged when it ends, many periods after it was sampled.
  def test_a_thread_that_rests_keeps_its_stack
    go = Queue.new
    start
    thread = Thread.new { 30.times { one }; go.pop }
    Thread.pass until thread.stop?
    50.times { |number| run_once(number); snapshot(true) }
    go << true
    thread.join
    last = assert_leaf(stop, "VmSnapshotsTest#one", "VmSnapshotsTest##{name}", "Integer#times")
    assert_includes 1..1_000_000_000, last[1]
  end

  # No tick comes any more: the rest belongs to what the last one met, whose labels are over.
  def test_labels_that_were_over_when_the_period_began
    start(mode: :wall)
    Rperf.label(part: "before") { one }
    snapshot(true)
    assert_empty Array(stop[:label_sets]).flat_map(&:keys)
  end

  def test_labels_of_a_period
    start
    Native.set_labels(period: "1")
    one
    first = snapshot(true)
    Native.set_labels(period: "2")
    one
    second = snapshot(true)
    Native.set_labels(period: nil)
    third = stop
    assert_equal [{}, {period: "1"}], first[:label_sets]
    assert_equal [{}, {period: "1"}, {period: "2"}], second[:label_sets]
    refute_includes third.fetch(:label_sets, []), {period: "1"}
    assert_equal({period: "2"}, second[:label_sets][samples_at(second, "VmSnapshotsTest#one").first[3]])
  end
end
