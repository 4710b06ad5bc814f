# frozen_string_literal: true

require "minitest/autorun"
require_relative "../../bench/memory/lib/measurement"

# The ratios of bench/memory, and its bars.
class MemoryBenchTest < Minitest::Test
  # CPU time of three rounds: the machine is twice as slow in the second.
  ALONE = [100, 200, 100].freeze

  def test_ratios_are_those_of_each_round
    text = measurement(direct: [105, 214, 109], event: [160, 320, 150]).text
    assert_includes text, "| alloc, direct | 1.070 [1.060, 1.080] | 1.10 |"
    assert_includes text, "| alloc, event | 1.600 [1.550, 1.600] | 1.75 |"
    assert_includes text, "allocations, yjit: 3.0 million objects a second, medians of 3 rounds"
  end

  def test_a_bar_that_is_missed
    assert_predicate measurement(direct: ALONE, event: ALONE), :passed?
    missed = measurement(direct: [120, 240, 100], event: ALONE)
    refute_predicate missed, :passed?
    assert_includes missed.text, "| 1.10 missed |"
  end

  def test_what_two_modes_cost_alone_is_added_up
    text = measurement(direct: [105, 214, 109], event: ALONE, "cpu" => [102, 204, 102], "cpu and alloc, direct" => [107, 220, 111]).text
    assert_includes text, "| cpu and alloc, direct | 1.100 [1.085, 1.105] |"
    assert_includes text, "| cpu plus alloc, direct | 1.090 [1.080, 1.100] |"
  end

  private

  def measurement(direct:, event:, **more)
    costs = {"nothing" => ALONE, "alloc, event" => event, "alloc, direct" => direct, **more}
    MemoryBench::Measurement.new("allocations", "yjit", {"costs" => costs.transform_values { |all| all.map { |ms| ms * 1_000_000 } }, "objects" => 300_000})
  end
end
