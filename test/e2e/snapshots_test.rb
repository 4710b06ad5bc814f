# frozen_string_literal: true

require "etc"
require_relative "../support/program"
require_relative "../support/spent_time"

# Snapshots of a program whose threads keep running.
class SnapshotsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  # What 100 snapshots a second may take of the work of four threads, on a busy machine. (On a quiet
  # one it is a few percent.)
  MOST_TAKEN = 0.8

  def teardown
    Rperf.stop
  end

  # Each time that the GVL is given up, the other thread computes for 0.1 s. (One of five snapshots
  # is enough: the machine may take the processor away, and then the VM switches threads.)
  def test_a_small_snapshot_keeps_the_gvl
    going, rounds = true, 0
    thread = Thread.new { rounds += 1 while going }
    Rperf.start
    keeps = lambda do |&work|
      5.times.any? do
        Thread.pass
        before = rounds
        work.call
        rounds == before
      end
    end
    assert keeps.call { Rperf.snapshot }, "snapshot"
    assert keeps.call { Rperf.snapshot(clear: true) }, "a snapshot that clears"
    assert(keeps.call { Rperf.stop; Rperf.start }, "stop")
  ensure
    going = false
    thread.join
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # Works in rounds until told to stop, and lets other threads have their turn after each. (The GVL
  # is taken from a thread after 0.1 s only: nobody could take 100 snapshots a second.) Allocates
  # nothing: the collector's time is not by the threads' clocks.
  def rounds(going)
    count = 0
    while going.call
      2_000.times { |number| number ^ count }
      Thread.pass
      count += 1
    end
    count
  end

  # How many rounds four threads do in this time, while the calling one does the block again and
  # again.
  def throughput(seconds)
    going = true
    threads = Array.new(4) { Thread.new { rounds(-> { going }) } }
    finish = now + seconds
    while now < finish
      yield
      sleep 0.01
    end
    going = false
    threads.sum(&:value)
  end

  def test_a_hundred_snapshots_a_second_do_not_stall_the_program
    Rperf.start(mode: :wall)
    snapshots = 0
    pairs = Array.new(8) do
      [throughput(0.25) { nil }, throughput(0.25) { Rperf.snapshot(clear: true); snapshots += 1 }]
    end
    without, with = pairs.transpose.map(&:sum)
    assert_operator snapshots, :>, pairs.length, pairs.inspect
    assert_operator with, :>=, without * (1 - MOST_TAKEN), pairs.inspect
  end

  def test_cleared_snapshots_of_working_threads_add_up
    Rperf.start(mode: :cpu)
    going = true
    threads = Array.new(4) { Thread.new { Burning.spent(Burning::CPU) { rounds(-> { going }) } } }
    parts = Array.new(40) { sleep 0.01; Rperf.snapshot(clear: true) }
    going = false
    truth = threads.map(&:value).sum(Burning::NOTHING)
    parts << Rperf.stop
    assert_spent truth, parts.sum { |part| worked(part) }
  end

  Part = Class.new

  def make = Array.new(10_000) { Part.new }

  # A tick that has captured a stack waits while the snapshot copies what was sampled. (Where none
  # comes afterwards, the time that is open at the end is charged to the last stack, by no tick; and
  # a step of the collector that is too short to be charged by itself, with the next one.)
  def test_what_a_tick_meets_before_a_snapshot_is_not_in_the_period_after_it
    after = Array.new(40) do
      Rperf.start(mode: %i[cpu heap], frequency: 10_000, interval: 1, min_age: 0)
      make
      Rperf.snapshot(clear: true)
      met = Rperf.stop.first[:samples].select { |sample| sample.count.positive? && sample.first.any? { |_path, label| label == "SnapshotsTest#make" } }
      met.reject { |sample| sample.first.any? { |_path, label| label.start_with?("[GC ") } }
    end
    assert_empty after.flatten(1)
  end

  # The time in `rounds`, with what was lost.
  def worked(data)
    samples = data[:samples].select { |frames,| frames.any? { |_path, label| label == "SnapshotsTest#rounds" } }
    samples.sum { |sample| sample[1] } + data[:dropped].values.sum { |drop| drop[:weight_ns] }
  end

  def test_periods_cover_the_session
    before = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    parts = nil
    session = Burning.spent(Burning::WALL) do
      Rperf.start(mode: :wall)
      parts = [*Array.new(5) { sleep 0.002; Rperf.snapshot(clear: true) }, Rperf.stop]
    end
    parts.each_cons(2) { |one, other| assert_equal one[:start_time_ns] + one[:duration_ns], other[:start_time_ns] }
    assert_operator parts.first[:start_time_ns], :>=, before
    assert_operator parts.sum { |part| part[:duration_ns] }, :<=, session.ns
    # At 1000 Hz one each millisecond, and one where a period begins.
    assert_operator parts.sum { |part| part[:trigger_count] }, :<=, session.ns / 1_000_000 + parts.length
  end
end
