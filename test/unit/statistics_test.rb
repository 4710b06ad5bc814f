# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/statistics"

class StatisticsTest < Minitest::Test
  def statistics(columns: nil, **more)
    samples = [[[["-e", "Object#cpu_work"], ["-e", "<main>"]], 53_400_000, 1, 0],
      [[["<internal:numeric>", "Integer#times"], ["-e", "<main>"]], 17_000_000, 1, 0],
      [[["-e", "Object#cpu_work"]], 29_600_000, 2, 0]]
    Rperf::Statistics.new(Rperf::Native::Profile.from_h({mode: :cpu, frequency: 1000, sampling_count: 98, sampling_time_ns: 110_000, hook_time_ns: 390_000,
                           duration_ns: 100_000_000, trigger_count: 99,
                           detected_thread_count: 2, unique_stacks: 3, unique_frames: 3, engine: :poll,
                           aggregated_samples: samples, dropped: {}, **more}), columns:).to_s
  end

  def test_figures_of_one
    text = statistics(aggregated_samples: [[[["a.rb", "work"]], 5, 1, 0]], sampling_count: 1, sampling_time_ns: 0, trigger_count: 1,
                      unique_stacks: 1, unique_frames: 1)
    assert_includes text, "sampling: 1 call, 0.00ms total, 0.0us/call avg, 1 trigger\n"
    assert_includes text, "1 unique stack, 1 unique frame)"
  end

  def test_the_lines_of_the_guide
    assert_equal <<~TEXT, statistics
      [rperf] mode=cpu frequency=1000Hz engine=poll
      [rperf] sampling: 98 calls, 0.11ms total, 1.1us/call avg, 99 triggers
      [rperf] overhead: 0.50ms (0.11ms sampling, 0.39ms hooks), 0.5% of the duration
      [rperf] samples recorded: 3 (2 threads, 3 unique stacks, 3 unique frames)
      [rperf] dropped: nothing
      [rperf] top 10 by flat:
      [rperf]         83.0ms  83.0%  Object#cpu_work (-e)
      [rperf]         17.0ms  17.0%  Integer#times (<internal:numeric>)
    TEXT
  end

  def test_lines_as_wide_as_a_terminal
    samples = [[[["/srv/shop/app/models/shop/catalog/price_list.rb", "Shop::Catalog::PriceList#total_with_discounts"]], 5_000_000, 1, 0]]
    text = statistics(columns: 80, aggregated_samples: samples)
    assert_operator text.lines(chomp: true).map(&:length).max, :<=, 80, text
    assert_includes text, "[rperf] samples recorded: 1 (2 threads, 3 unique stacks, 3 unique frames)\n"
    assert_includes text, "[rperf]          5.0ms 100.0%  \u2026PriceList#total_with_discounts (price_list.rb)\n"
    assert_includes statistics(columns: 60), <<~TEXT
      [rperf] overhead: 0.50ms (0.11ms sampling, 0.39ms hooks),
              0.5% of the duration
    TEXT
  end

  def test_drops_by_cause
    text = statistics(dropped: {"stale" => {samples: 2, weight_ns: 2_000_000}, "full" => {samples: 1, weight_ns: 500_000}})
    assert_includes text, "[rperf] dropped: 1 sample, 0.5 ms (full)\n[rperf] dropped: 2 samples, 2.0 ms (stale)\n"
  end

  # Each is one of the sampled objects, as in the other reports: not an object of those allocated.
  def test_drops_of_objects
    text = statistics(mode: :alloc, value_type: %w[alloc_space bytes], value_types: [%w[alloc_space bytes]], aggregated_samples: [], period: ["objects", "count", 500],
                      comments: ["objects allocated: 9000"], dropped: {"full" => {samples: 50, weight_ns: 0}})
    assert_includes text, "[rperf] dropped: 50 samples (full)\n"
  end

  def test_truncated_stacks_of_two_processes
    truncated = [12, 3].map { |ticks| "truncated stacks: #{ticks}, whose callers were in doubt" }
    text = statistics(comments: ["native: yes", *truncated])
    assert_includes text, "[rperf] dropped: nothing\n[rperf] #{truncated.first}\n[rperf] #{truncated.last}\n"
  end

  def test_nothing_recorded
    text = statistics(aggregated_samples: [], sampling_count: 0, sampling_time_ns: 0)
    assert_includes text, "sampling: 0 calls, 0.00ms total, 0.0us/call avg"
    refute_includes text, "top 10"
  end

  def test_names_cannot_command_a_terminal
    text = statistics(aggregated_samples: [[[["\e[31mred\n.rb", "m\a"]], 5_000_000, 1, 0]])
    assert_includes text, "  m\u{fffd} (\u{fffd}[31mred\u{fffd}.rb)\n"
  end

  def test_overflowing_labels
    assert_includes statistics(label_overflow_count: 1234), "[rperf] labels: 1,234 labellings beyond the limit"
  end
end
