# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli"

class ParserTest < Minitest::Test
  def parse(name, *words) = Rperf::CLI::Parser.new(Rperf::CLI::COMMANDS.fetch(name)).parse(words)

  def complaint(name, *words)
    failure = assert_raises(Rperf::CLI::Failure) { parse(name, *words) }
    assert_equal 2, failure.status
    failure.message
  end

  def test_defaults_differ_by_command
    record, = parse("record", "ruby")
    assert_equal({output: "rperf.data", mode: :cpu, frequency: 1000, signal: nil}, record)
    stat, = parse("stat", "ruby")
    assert_equal({mode: :wall, repeat: 1, frequency: 1000, signal: nil}, stat)
  end

  def test_options_end_at_the_command
    values, rest = parse("record", "-m", "wall", "ruby", "-v", "--format", "x")
    assert_equal :wall, values[:mode]
    assert_nil values[:verbose]
    assert_equal %w[ruby -v --format x], rest
  end

  def test_options_may_follow_files
    values, rest = parse("diff", "a", "--top", "b", "--pprof")
    assert_equal [[:top], true, %w[a b]], [values[:view], values[:pprof], rest]
    values, rest = parse("report", "a", "--", "--top")
    assert_equal [nil, %w[a --top]], [values[:view], rest]
    assert_includes complaint("report", "a", "--tops"), "did you mean '--top'?"
  end

  def test_two_dashes_end_the_options
    values, rest = parse("record", "-v", "--", "-strange", "--", "x")
    assert values[:verbose]
    assert_equal %w[-strange -- x], rest
  end

  def test_a_single_dash_is_a_word
    assert_equal %w[- x], parse("record", "-", "x").last
  end

  def test_every_way_to_write_a_value
    [%w[-f 99], %w[-f99], %w[-f=99], %w[--frequency 99], %w[--frequency=99]].each do |words|
      assert_equal 99, parse("record", *words, "ruby").first[:frequency], words.inspect
    end
  end

  def test_switches_can_be_written_together
    values, rest = parse("record", "-pvf", "99", "ruby")
    assert_equal [true, true, 99], values.values_at(:print, :verbose, :frequency)
    assert_equal ["ruby"], rest
  end

  def test_switches_that_turn_off
    values, = parse("stat", "--no-inherit", "--no-lines", "--no-aggregate", "--signal", "none", "x")
    assert_equal [false, false, false, false], values.values_at(:inherit, :lines, :aggregate, :signal)
  end

  def test_unknown_options_get_a_suggestion
    assert_equal "unknown option '--moed' for 'rperf record'; did you mean '--mode'? ('rperf help record' lists them)",
      complaint("record", "--moed", "wall")
    assert_equal "unknown option '-z' for 'rperf record' ('rperf help record' lists them)", complaint("record", "-z")
    assert_match(/unknown option '-z'/, complaint("record", "-vz"))
    assert_match(/\Aunknown option '-z' for 'rperf record' \(/, complaint("record", "-zzz"))
    assert_equal "unknown option '-top' for 'rperf report'; did you mean '--top'? ('rperf help report' lists them)", complaint("report", "-top")
  end

  def test_an_option_of_another_command_is_unknown
    assert_match(/\Aunknown option '-p' for 'rperf stat'/, complaint("stat", "-p", "x"))
    assert_match(/\Aunknown option '--report' for 'rperf exec'/, complaint("exec", "--report", "x"))
  end

  def test_a_missing_value
    assert_equal "option '-f' needs a value: -f HZ", complaint("record", "-f")
    assert_equal "option '--output' needs a value: --output PATH", complaint("record", "--output")
  end

  def test_a_switch_takes_no_value
    assert_equal "option '--verbose' takes no value, but 'no' was given", complaint("record", "--verbose=no")
  end

  def test_native_functions_need_a_signal
    assert_equal true, parse("exec", "--native", "x").first[:native]
    assert_match(/\Anative: true \(--native\) needs a signal/, complaint("record", "--native", "--signal", "none", "x"))
  end

  def test_settings_that_the_mode_has_no_use_for
    values, = parse("record", "-m", "alloc", "x")
    assert_equal [500, nil], values.values_at(:interval, :frequency)
    assert_equal 7, parse("record", "-i", "7", "-m", "object", "x").first[:interval]
    assert_match(/\Afrequency: \(--frequency\) belongs to the modes cpu and wall/, complaint("record", "-m", "alloc", "-f", "1000", "x"))
    assert_match(/\Ainterval: \(--interval\) belongs to the modes alloc and heap/, complaint("stat", "-i", "7", "x"))
  end

  def test_values_are_checked_by_the_options
    assert_equal "-f must be a whole number from 1 to 10000 (Hz), not 0", complaint("record", "-f", "0")
    assert_equal "--frequency must be a whole number from 1 to 10000 (Hz), not 10001",
      complaint("record", "--frequency=10001")
    assert_equal "-m must be cpu, wall, custom, alloc, heap or both, not 'cpuu'; did you mean 'cpu'?", complaint("record", "-m", "cpuu")
    assert_match(/\A--format must be .*, not 'xml'/, complaint("record", "--format", "xml"))
    assert_match(/\A--signal must be a real-time signal/, complaint("record", "--signal", "9"))
    assert_match(/\A-o must be the path of a file/, complaint("record", "-o", ""))
  end
end
