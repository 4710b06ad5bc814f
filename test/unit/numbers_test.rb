# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/numbers"

class NumbersTest < Minitest::Test
  N = Rperf::Numbers

  def test_grouped
    {0 => "0", 999 => "999", 1000 => "1,000", 1_234_567 => "1,234,567", -1000 => "-1,000"}
      .each { |number, text| assert_equal text, N.grouped(number) }
  end

  def test_milliseconds
    {0 => "0.0", 49_999 => "0.0", 50_000 => "0.1", 999_960_000 => "1,000.0", 1_234_567_800_000 => "1,234,567.8"}
      .each { |nanoseconds, text| assert_equal text, N.milliseconds(nanoseconds) }
  end

  def test_duration
    {0 => "0 ms", 1 => "1 us", 20_000 => "20 us", 49_999 => "50 us", 50_000 => "0.1 ms", 999_900_000 => "999.9 ms"}
      .each { |nanoseconds, text| assert_equal text, N.duration(nanoseconds) }
    assert_equal "1.00 s", N.duration(1_000_000_000)
  end

  def test_percent_of_nothing
    assert_equal "0.0%", N.percent(0, 0)
    assert_equal "33.3%", N.percent(1, 3)
  end

  def test_bytes_have_the_units_of_reports
    {1023 => "1023 B", 1024 => "1.00 kB", 6_786_048 => "6.47 MB"}.each { |number, text| assert_equal text, N.bytes(number) }
  end

  def test_counted
    assert_equal "1 process", N.counted(1, "process")
    assert_equal "2 processes", N.counted(2, "process")
    assert_equal "0 samples", N.counted(0, "sample")
  end
end
