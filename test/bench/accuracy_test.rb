# frozen_string_literal: true

require "minitest/autorun"
require_relative "../../bench/accuracy/lib/attribution"
require_relative "../../bench/accuracy/lib/check"
require_relative "../../bench/accuracy/lib/collapsed"
require_relative "../../bench/accuracy/lib/comparison"
require_relative "../../bench/accuracy/lib/report"

# The arithmetic of bench/accuracy on profiles made by hand: it must find the errors that are in them.
class AccuracyLabelsTest < Minitest::Test
  {
    "Foo::Bar#baz" => "baz",
    "Foo.baz" => "baz",
    "baz" => "baz",
    "block in Foo#baz" => "baz",
    "block (2 levels) in Foo#baz" => "baz",
    "rescue in block in Foo.baz" => "baz",
    "burn_a [c function]" => "burn_a",
    "<main>" => "<main>",
    "[GVL wait]" => "[GVL wait]",
    "Foo#baz?" => "baz?"
  }.each do |label, name|
    define_method("test_bare_name_of_#{label}") { assert_equal name, Accuracy::Labels.bare_name(label) }
  end
end

class AccuracyAttributionTest < Minitest::Test
  def test_a_sample_belongs_to_the_innermost_measured_method
    assert_equal({ outer: 5, inner: 7 }, by_method([stack("inner", "outer"), 7, 1], [stack("helper", "outer"), 5, 1]))
  end

  def test_a_synthetic_leaf_belongs_to_the_method_below_it
    assert_equal({ outer: 0, inner: 4 }, by_method([[["<GC>", "[GC marking]"], *stack("inner")], 4, 1]))
  end

  def test_a_method_that_was_not_seen_has_zero
    assert_equal({ outer: 0, inner: 0 }, by_method([stack("helper"), 9, 1]))
  end

  def test_a_method_of_another_thread_is_found_nowhere
    samples = [[stack("inner"), 7, 1], [stack("inner"), 2, 2]]

    assert_equal 9, attribution(samples).by_method[:inner]
    assert_equal 7, attribution(samples, one_thread_each: true).by_method[:inner]
  end

  def test_synthetic_time_counts_leaves_only
    samples = [[[["<GC>", "[GC marking]"], *stack("inner")], 4, 1], [[["<GC>", "[GC sweeping]"]], 3, 1], [stack("inner"), 9, 1]]

    assert_equal 7, attribution(samples).synthetic("[GC ")
    assert_equal 16, attribution(samples).total
  end

  private

  def stack(*names) = names.map { |name| ["x.rb", "Some::Case##{name}"] } << ["x.rb", "<main>"]
  def by_method(*samples) = attribution(samples).by_method
  def attribution(samples, **options) = Accuracy::Attribution.new(samples:, measured: %i[outer inner], **options)
end

class AccuracyComparisonTest < Minitest::Test
  def test_no_error = assert_in_delta(0.0, error({ a: 60, b: 40 }, { a: 60, b: 40 }))
  def test_time_moved_to_the_wrong_method_counts_once = assert_in_delta(0.1, error({ a: 60, b: 40 }, { a: 70, b: 30 }))
  def test_time_charged_to_none = assert_in_delta(0.25, error({ a: 60, b: 40 }, { a: 35, b: 40 }))
  def test_time_charged_twice = assert_in_delta(0.4, error({ a: 60, b: 40 }, { a: 60, b: 80 }))
  def test_the_larger_sum_counts = assert_in_delta(0.3, error({ a: 60, b: 40 }, { a: 30, b: 50 }))
  def test_an_empty_profile_is_all_wrong = assert_in_delta(1.0, error({ a: 60, b: 40 }, {}))
  def test_a_method_that_was_not_measured_does_not_count = assert_in_delta(0.0, error({ a: 60 }, { a: 60, other: 99 }))

  def test_nothing_true_is_refused
    assert_raises(ArgumentError) { error({ a: 0 }, { a: 5 }) }
  end

  def test_error_of_shares_ignores_the_scale
    assert_in_delta 0.0, comparison({ a: 60, b: 40 }, { a: 6, b: 4 }).error_of_shares
    assert_in_delta 0.1, comparison({ a: 60, b: 40 }, { a: 7, b: 3 }).error_of_shares
    assert_in_delta 1.0, comparison({ a: 60, b: 40 }, {}).error_of_shares
  end

  def test_largest_share_distance
    assert_in_delta 0.2, comparison({ a: 60, b: 40 }, { a: 80, b: 20 }).largest_share_distance
    assert_in_delta 1.0, comparison({ a: 60, b: 40 }, {}).largest_share_distance
  end

  private

  def comparison(truth, reported) = Accuracy::Comparison.new(truth:, reported:)
  def error(truth, reported) = comparison(truth, reported).error
end

class AccuracyVerdictTest < Minitest::Test
  def test_a_run_within_the_bars_passes
    assert_empty outcome(reported: 99).faults
    assert Accuracy::Report.new([outcome(reported: 99)]).passed?("tick")
  end

  def test_a_case_above_its_bar_fails
    assert_match(/above 3\.0 %/, outcome(reported: 96).faults.join)
    refute Accuracy::Report.new([outcome(reported: 96)]).passed?("tick")
  end

  def test_a_mean_above_the_bar_fails
    assert_empty outcome(reported: 98).faults
    refute Accuracy::Report.new([outcome(reported: 98)]).passed?("tick")
  end

  def test_a_failing_check_fails
    check = { name: "GC time", truth: 100, reported: 89, tolerance: 0.1 }

    assert_match(/GC time/, outcome(reported: 100, checks: [check]).faults.join)
    assert_empty outcome(reported: 100, checks: [check.merge(reported: 91)]).faults
  end

  def test_the_safepoint_sampler_does_not_pass_for_the_tick_sampler
    assert_match(/safepoint/, outcome(reported: 100, found: "safepoint").faults.join)
  end

  def test_a_crash_fails
    crashed = Accuracy::Outcome.failed(name: "deep", mode: "cpu", machine: "yjit", sampler: "tick", message: "SIGSEGV")

    assert_match(/SIGSEGV/, crashed.faults.join)
    refute Accuracy::Report.new([outcome(reported: 100), crashed]).passed?("tick")
  end

  def test_no_runs_do_not_pass
    refute Accuracy::Report.new([outcome(reported: 100)]).passed?("safepoint")
  end

  def test_the_table_has_a_row_for_each_case_and_the_means
    table = Accuracy::Report.new([outcome(reported: 99), outcome(reported: 97, mode: "wall")]).markdown

    assert_includes table, "| recursion 1,500 deep | 1.00 | 3.00 |"
    assert_includes table, "| **mean** | 1.00 | 3.00 |"
  end

  private

  def outcome(reported:, checks: [], found: "tick", mode: "cpu")
    result = { truth: { burn_a: 100 }, reported: { burn_a: reported }, checks:, sampler: found }
    Accuracy::Outcome.new(name: "deep", mode:, machine: "yjit", sampler: "tick", result:)
  end
end

class AccuracyCollapsedTest < Minitest::Test
  def test_stacks_of_rbspy
    text = "<main> - a.rb:1;block in run - b - c.rb:2;burn_a [c function] - (unknown) 3\n"
    frames = [["(unknown)", "burn_a [c function]"], ["c.rb:2", "block in run - b"], ["a.rb:1", "<main>"]]

    assert_equal [[frames, 3_000_000, 1]], Accuracy::Collapsed.parse(text, ns_per_count: 1_000_000)
  end
end
