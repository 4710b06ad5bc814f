# frozen_string_literal: true

require "rperf/readers"
require_relative "support/manual_session"

# Several readers of a session whose ticks come by hand: each has every tick since it was opened,
# once, whatever the others do.
class ReadersTest < Minitest::Test
  include ManualSession

  def setup
    Rperf::LayoutProof.ensure
    @readers = Rperf::Readers.new
  end

  # A reader of a test, which counts what it should have.
  Expected = Struct.new(:reader, :ticks)

  def one = Native.tick
  def start(**options) = Native.start(**OPTIONS, **options)
  def open(limit: nil) = Object.new.tap { |reader| assert @readers.open(reader, limit:) }
  def finish = @readers.finish { Native.stop }
  def own(clear) = @readers.snapshot(clear:, gc: false, born: nil)
  def data(profiles) = profiles.first.to_h
  def ticks(profiles) = count(samples_at(data(profiles), "ReadersTest#one"))

  def test_each_reader_has_every_tick_since_it_was_opened
    start
    2.times { one }
    early = open
    3.times { one }
    late = open
    4.times { one }
    assert_equal [4, 7], [ticks(@readers.take(late)), ticks(@readers.take(early))]
    5.times { one }
    assert_equal [14, 14], [ticks(own(false)), ticks(own(true))]
    6.times { one }
    assert_equal [6, 11, 11], [ticks(finish), ticks(@readers.take(late)), ticks(@readers.take(early))]
    assert_equal [nil, nil], [early, late].map { |reader| @readers.take(reader) }
  end

  # Of a server, most units of work are met by no tick.
  def test_a_reader_gets_the_labels_of_samples_alone
    start
    reader = open
    Rperf.work("met") { one }
    Rperf.work("not met") { nil }
    assert_equal [{}, {job: "met"}], data(@readers.take(reader))[:label_sets]
  ensure
    finish
  end

  # The sum over the parts of a reader is what one long recording has.
  def test_readers_that_come_and_go_at_random_have_what_was_recorded
    20.times { |seed| check_random_readers(Random.new(seed)) }
  end

  def check_random_readers(random)
    @readers = Rperf::Readers.new
    start(mode: :wall)
    own, others = Expected.new(nil, 0), []
    60.times do
      case random.rand(6)
      when 0 then others << Expected.new(open, 0)
      when 1 then others.sample(random:)&.then { |it| check(it, @readers.take(it.reader)) }
      when 2 then check(own, own(true))
      when 3 then assert_equal own.ticks, ticks(own(false))
      when 4 then others.delete(others.sample(random:))&.then { |it| @readers.close(it.reader) }
      else random.rand(1..9).times { one; [own, *others].each { |it| it.ticks += 1 } }
      end
    end
    check(own, finish)
    others.each { |it| check(it, @readers.take(it.reader)) }
  end

  def check(expected, profiles)
    assert_equal expected.ticks, ticks(profiles)
    assert_equal expected.ticks, profiles.first.figures[:sampling_count]
    expected.ticks = 0
  end

  Made = Class.new

  def test_readers_of_two_modes
    start(mode: %i[wall alloc], interval: 1)
    reader = open
    3.times { one; Made.new }
    own(true)
    2.times { one; Made.new }
    [[5, @readers.take(reader)], [2, finish]].each do |number, (wall, alloc)|
      assert_equal %i[wall alloc], [wall, alloc].map(&:mode)
      assert_equal [number, number], [ticks([wall]), made(alloc.to_h)]
    end
  end

  def made(data)
    of_class = data[:samples].select { |sample| data[:label_sets][sample[3]][:class] == "ReadersTest::Made" }
    of_class.sum { |sample| sample.values.first }
  end

  # What was in use at the end of an earlier segment is not added to what is in use now.
  def test_a_reader_of_a_heap_has_what_is_in_use_now
    start(mode: :heap, interval: 1, min_age: 0)
    reader = open
    kept = Array.new(3) { Made.new }
    own(true)
    kept.push(Made.new)
    heap = data(@readers.take(reader))
    in_use = heap[:samples].select { |sample| heap[:label_sets][sample[3]][:class] == "ReadersTest::Made" }
    assert_equal [4, kept.length], in_use.map(&:values).transpose.values_at(0, 2).map(&:sum)
    finish
  end

  def test_what_is_not_read_in_time_is_counted
    start
    reader = open(limit: 1)
    3.times { one }
    # Steps of the collector, too.
    given_up = data(own(true))[:samples].sum(&:count)
    2.times { one }
    late = data(@readers.take(reader))
    assert_equal 2, count(samples_at(late, "ReadersTest#one"))
    assert_operator given_up, :>=, 3
    assert_equal [["segment limit", given_up]], late[:dropped].map { |cause, lost| [cause, lost[:samples]] }
    assert_equal 5, late[:sampling_count]
    assert_empty data(finish).fetch(:dropped, {})
  end

  # What a reader has not read of its session it reads later, and nothing of another session.
  def test_a_reader_of_a_session_that_has_ended
    start
    reader = open
    one
    finish
    start
    3.times { one }
    assert_equal [1, nil], [ticks(@readers.take(reader)), @readers.take(reader)]
    assert_equal 3, count(samples_at(stop, "ReadersTest#one"))
  end

  # Of a reader that never reads, segments are joined.
  def test_a_reader_that_never_reads_has_one_profile
    start
    reader = open
    100.times { one; own(true) }
    one
    assert_equal 101, ticks(@readers.take(reader))
    finish
  end

  def test_a_signal_handler_reads_alone
    start
    one
    answer = in_signal_handler { ticks(own(true)) }
    assert_equal 1, answer
    open
    one
    assert_equal 1, in_signal_handler { ticks(own(true)) }
    finish
  end

  def test_a_signal_handler_does_not_wait_for_another_reader
    start
    open
    reading, go_on = Thread::Queue.new, Thread::Queue.new
    held = @readers.instance_variable_get(:@lock)
    other = Thread.new { held.synchronize { reading << true; go_on.pop } }
    reading.pop
    error = in_signal_handler { assert_raises(Rperf::Error) { own(true) } }
    assert_match(/signal handler/, error.message)
  ensure
    go_on << true
    other.join
    finish
  end

  def in_signal_handler
    answers = []
    before = trap(:USR2) { answers << yield }
    Process.kill(:USR2, Process.pid)
    assert_equal 1, answers.length
    answers.first
  ensure
    trap(:USR2, before)
  end

  def test_a_forked_child_reads_nothing_of_its_parent
    start
    reader = open
    one
    own(true)
    child = fork { exit!(@readers.take(reader).nil? && finish.nil? ? 0 : 1) }
    assert_equal 0, Process.wait2(child).last.exitstatus
    assert_equal 1, ticks(@readers.take(reader))
    finish
  end
end
