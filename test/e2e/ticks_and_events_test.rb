# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Ticks are the samples of a profile; suspensions and steps of the collector are events.
class TicksAndEventsTest < Minitest::Test
  include ProgramSupport

  # Two threads hand each other some 50,000 numbers through queues, and say how many.
  PING_PONG = <<~RUBY
    there, back = Queue.new, Queue.new
    Thread.new { loop { back << there.pop } }
    50_000.times { |number| there << number; back.pop }
  RUBY
  FREQUENCY = 100

  def test_suspensions_are_no_samples
    in_directory do |directory|
      result = rperf("record", "-m", "wall", "-f", FREQUENCY.to_s, "-o", "p.json", "ruby", "-e", PING_PONG, directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      most = data[:duration_ns] * FREQUENCY / 1_000_000_000 + 2
      assert_operator data[:event_count], :>=, 10_000
      assert_includes 1..most, data[:tick_count]
      assert_equal data[:tick_count], result.err[/wrote p\.json: ([\d,]+) sample/, 1].delete(",").to_i
      assert_hooks_are_timed(data)
      assert_other_formats(data, directory)
    end
  end

  # In cpu mode, processor time that is spent without the GVL is measured: no tick has met it.
  def test_measured_suspensions_are_no_samples
    reads = 'now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
             finish = now.call + 0.4
             File.read("/dev/null") while now.call < finish'
    in_directory do |directory|
      rperf("record", "-m", "cpu", "-f", FREQUENCY.to_s, "-o", "p.json", "ruby", "-e", reads, directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      assert_includes 1..(data[:duration_ns] * FREQUENCY / 1_000_000_000 + 2), data[:tick_count]
    end
  end

  def test_stat_tells_both
    in_directory do |directory|
      result = rperf("stat", "-v", "-f", FREQUENCY.to_s, "ruby", "-e", PING_PONG, directory:)
      samples, triggers, events = result.err[/^  ([\d,]+) samples \/ ([\d,]+) triggers, ([\d,]+) events, /] &&
        [$1, $2, $3].map { |number| number.delete(",").to_i }
      assert_operator samples, :<=, triggers, result.err
      assert_operator events, :>=, 10_000
      assert_match(/^\[rperf\] overhead: [\d.]+ms \([\d.]+ms sampling, [\d.]+ms hooks\), [\d.]+% of the duration$/, result.err)
      assert_match(/^\[rperf\] samples recorded: [\d,]+, [\d,]+ events \(/, result.err)
    end
  end

  private

  # A hook takes some 100 ns; the threads suspend themselves 100,000 times, and get the GVL as
  # often.
  def assert_hooks_are_timed(data)
    assert_includes (200_000 * 20)..data[:duration_ns], data[:hook_time_ns]
  end

  def assert_other_formats(data, directory)
    rperf("convert", "p.json", "p.pb.gz", directory:)
    # One of the threads waits for more than half of its time on some machines: it would be folded.
    rperf("convert", "--idle", "p.json", "p.txt", directory:)
    assert_includes File.read(File.join(directory, "p.txt")),
      "Samples: #{data[:tick_count]}, Frequency: #{FREQUENCY}Hz, Events: #{data[:event_count]}\n"
    counts = data.values_at(:tick_count, :event_count)
    totals = %w[samples events].map do |type|
      report = rperf("report", "--top", "--idle", "--format", "json", "--sample-index", type, "p.pb.gz", directory:)
      JSON.parse(report.out)["total"]
    end
    assert_equal counts, totals
    assert_equal counts, Rperf.load(File.join(directory, "p.pb.gz")).values_at(:tick_count, :event_count)
  end
end
