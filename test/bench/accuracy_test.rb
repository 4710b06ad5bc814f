# frozen_string_literal: true

require "minitest/autorun"
require_relative "../../bench/accuracy/lib/attribution"
require_relative "../../bench/accuracy/lib/chance"
require_relative "../../bench/accuracy/lib/check"
require_relative "../../bench/accuracy/lib/collapsed"
require_relative "../../bench/accuracy/lib/comparison"
require_relative "../../bench/accuracy/lib/report"

# The arithmetic of bench/accuracy on profiles made by hand: it must find the errors that are in
# them.
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

  def test_weight_by_label
    found = attribution([[stack("inner"), 4, 1, 1], [stack("outer"), 3, 1, 2], [stack("helper"), 2, 1, 1], [stack("inner"), 1, 1, 0]], **LABELS)

    assert_equal({ long: 6, short: 3, nil => 1 }, found.by_label)
  end

  def test_a_profile_without_labels_has_no_weight_under_any
    assert_equal({ nil => 4 }, attribution([[stack("inner"), 4, 1]], label_key: :request).by_label)
  end

  def test_a_method_counts_under_its_own_label_only
    samples = [[stack("inner"), 4, 1, 1], [stack("inner"), 3, 1, 2], [stack("outer"), 2, 1, 2], [stack("inner"), 1, 1, 0]]

    assert_equal({ outer: 2, inner: 4 }, attribution(samples, **LABELS).by_method_at_home({ inner: :long, outer: :short }))
  end

  LABELS = { label_sets: [{}, { request: "long", pid: "1" }, { request: "short" }], label_key: :request }.freeze

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

  def test_the_bars_of_a_busy_machine_are_wider
    assert_empty outcome(reported: 96, load: "two").faults
    assert_match(/above 5\.0 %/, outcome(reported: 94, load: "two").faults.join)
    assert Accuracy::Report.new([outcome(reported: 98, load: "two")]).passed?("tick")
    refute Accuracy::Report.new([outcome(reported: 97.9, load: "two")]).passed?("tick")
  end

  def test_some_cases_have_bars_of_their_own
    assert_match(/above 2\.0 %/, outcome(name: "server", reported: 97, load: "quota").faults.join)
    assert_empty outcome(name: "equal_calls", reported: 96).faults
  end

  def test_each_circumstance_has_a_mean_of_its_own
    quiet = outcome(reported: 98)
    busy = outcome(reported: 100, load: "four")

    refute Accuracy::Report.new([quiet, busy]).passed?("tick")
    assert_equal ["tick      quiet  mean error 2.00 % (bar: 1.2 %)", "tick      four   mean error 0.00 % (bar: 2.0 %)"],
                 Accuracy::Report.new([quiet, busy]).mean_lines
  end

  def test_short_programs_have_no_part_in_the_mean
    programs = outcome(name: "short_programs", reported: 75)

    assert_empty programs.faults
    assert Accuracy::Report.new([programs, outcome(reported: 100)]).passed?("tick")
    refute_empty outcome(name: "short_programs", reported: 65).faults
  end

  def test_a_run_that_was_cut_short_says_so
    assert_equal ["it had 3.5 s of 8.0 s"], outcome(reported: 100, seconds: { wanted: 8, spent: 3.5 }).notes
    assert_empty outcome(reported: 100, seconds: { wanted: 8, spent: 7.9 }).notes
  end

  def test_a_line_names_the_circumstance
    line = Accuracy::Report.line(outcome(reported: 94, load: "two", seconds: { wanted: 8, spent: 3.5 }))

    assert_match(/\Atick +two +cpu +yjit +recursion 1,500 deep +6\.00 %  error above 5\.0 %; it had 3\.5 s of 8\.0 s\z/, line)
  end

  def test_a_failing_check_fails
    check = { name: "GC time", truth: 100, reported: 89, tolerance: 0.1 }

    assert_match(/GC time/, outcome(reported: 100, checks: [check]).faults.join)
    assert_empty outcome(reported: 100, checks: [check.merge(reported: 91)]).faults
  end

  def test_the_safepoint_sampler_does_not_pass_for_the_tick_sampler
    assert_match(/safepoint/, outcome(reported: 100, found: "safepoint").faults.join)
  end

  def test_the_newer_name_of_the_tick_sampler
    assert_empty outcome(reported: 100, found: "poll").faults
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

  def test_the_table_has_a_section_for_each_circumstance
    text = Accuracy::Report.new([outcome(reported: 99), outcome(reported: 97, load: "quota")]).markdown
    assert_equal ["* the mean: 3.00 %"], text.scan(/^\* .*/)

    assert_match(/## quiet: quiet\n\nBar for the mean: 1\.2 %.*\| recursion 1,500 deep \| 1\.00 \|/m, text)
    assert_match(/## quota: .*60 %.*\n\nBar for the mean: 2\.0 %.*\| recursion 1,500 deep \| 3\.00 \|/m, text)
  end

  private

  def outcome(reported:, checks: [], found: "tick", mode: "cpu", load: "quiet", name: "deep", seconds: nil)
    result = { truth: { burn_a: 100 }, reported: { burn_a: reported }, checks:, sampler: found, seconds: }
    Accuracy::Outcome.new(name:, mode:, machine: "yjit", sampler: "tick", result:, circumstance: Accuracy::Circumstance::ALL.fetch(load))
  end
end

class AccuracyCheckTest < Minitest::Test
  def test_time_and_counts
    assert_equal "GC time: 2.0 ms, reported 1.0 ms (50.0 % off, allowed 10 %)",
                 Accuracy::Check.new(name: "GC time", truth: 2_000_000, reported: 1_000_000, tolerance: 0.1).to_s
    assert_equal "found: 100 programs, reported 99 programs (1.0 % off, allowed 0 %)",
                 Accuracy::Check.new(name: "found", truth: 100, reported: 99, tolerance: 0, unit: "programs").to_s
  end

  def test_of_a_comparison
    comparison = Accuracy::Comparison.new(truth: { a: 60, b: 40 }, reported: { a: 64, b: 36 })

    assert Accuracy::Check.of_comparison("methods", comparison, tolerance: 0.05).ok?
    refute Accuracy::Check.of_comparison("methods", comparison, tolerance: 0.03).ok?
  end
end

class AccuracyChanceTest < Minitest::Test
  # Two methods of a half each: their shares are off by 0.5 / sqrt(n) each, in opposite directions.
  def test_of_two_halves
    assert_in_delta Math.sqrt(2 / Math::PI) * 0.5 / 100, chance({ a: 50, b: 50 }).error(10_000), 1e-12
  end

  def test_more_and_smaller_methods_need_more_ticks
    assert_operator chance((1..10).to_h { |name| [name, 10] }).ticks_for(0.01), :>, 4 * chance({ a: 50, b: 50 }).ticks_for(0.01)
  end

  def test_as_many_ticks_as_are_needed
    chance = chance({ a: 70, b: 20, c: 10 })

    assert_operator chance.error(chance.ticks_for(0.01)), :<=, 0.01
    assert_operator chance.error(chance.ticks_for(0.01) - 2), :>, 0.01
  end

  def test_what_cannot_be_mistaken_needs_no_ticks
    assert_equal 0, chance({ a: 5 }).ticks_for(0.01)
    assert_equal 0, chance({ a: 0 }).ticks_for(0.01)
  end

  # By throwing dice: the mean error of profiles of 400 ticks is what was expected.
  def test_it_is_what_chance_does
    truth = { a: 0.5, b: 0.3, c: 0.2 }
    random = Random.new(1)
    errors = Array.new(2_000) { Accuracy::Comparison.new(truth:, reported: shares_of_ticks(400, random)).error }

    assert_in_delta chance(truth).error(400), errors.sum / errors.size, chance(truth).error(400) * 0.05
  end

  private

  def chance(truth) = Accuracy::Chance.new(truth)

  def shares_of_ticks(ticks, random)
    Array.new(ticks) { random.rand.then { |x| x < 0.5 ? :a : (x < 0.8 ? :b : :c) } }.tally.transform_values { |count| count / ticks.to_f }
  end
end

class AccuracyCollapsedTest < Minitest::Test
  def test_stacks_of_rbspy
    text = "<main> - a.rb:1;block in run - b - c.rb:2;burn_a [c function] - (unknown) 3\n"
    frames = [["(unknown)", "burn_a [c function]"], ["c.rb:2", "block in run - b"], ["a.rb:1", "<main>"]]

    assert_equal [[frames, 3_000_000, 1]], Accuracy::Collapsed.parse(text, ns_per_count: 1_000_000)
  end
end
