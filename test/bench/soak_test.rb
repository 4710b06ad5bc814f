# frozen_string_literal: true

require "minitest/autorun"
require_relative "../../bench/memory/lib/soak_report"

# What bench/memory/soak calls growth.
class SoakBenchTest < Minitest::Test
  def rows(count = 40) = Array.new(count) { |at| {period: at + 1, requests: at * 50, resident: 80_000_000, written: 2048, tables: {frames: 300, kinds: 9}, **yield(at)} }

  def report(count = 40, &) = MemoryBench::SoakReport.new("heap", rows(count, &))

  def test_a_server_that_stays_as_it_is
    # It grows at its beginning, and goes up and down.
    report = report { |at| {resident: 80_000_000 + [at, 10].min * 9_000_000 + at % 3 * 500_000, tables: {frames: 300 + at % 7 * 40, kinds: 9}} }
    assert_predicate report, :passed?
    assert_includes report.text, "| 40 | 1950 | 170.0 | 2 | 460 | 9 |"
    assert_match(/resident set \+0\.00 MB, bar: 4\.2 MB; no table grew\./, report.text)
  end

  def test_a_resident_set_that_grows
    report = report { |at| {resident: 80_000_000 + at * 250_000} }
    refute_predicate report, :passed?
    assert_match(/resident set \+5\.00 MB, bar: 4\.2 MB missed/, report.text)
  end

  def test_a_program_that_grows_by_itself
    control = report { |at| {resident: 60_000_000 + at * 240_000} }
    rows = rows { |at| {resident: 80_000_000 + at * 250_000} }
    report = MemoryBench::SoakReport.new("heap", rows, control:)
    assert_predicate report, :passed?
    assert_match(/resident set \+5\.00 MB \(the program alone: \+4\.80 MB\), bar: 4\.2 MB more; no table grew\./, report.text)
  end

  def test_a_table_that_grows
    report = report { |at| {tables: {frames: 300 + at * 100, kinds: 9}} }
    refute_predicate report, :passed?
    assert_match(/; `frames` grew\./, report.text)
  end

  def test_a_few_periods_say_nothing
    refute_predicate report(7) { {} }, :passed?
  end
end
