# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/repeated_stat_report"

class RepeatedStatReportTest < Minitest::Test
  MAIN = ["fib.rb", "<main>"].freeze
  BLOCKED = Rperf::Native::STATE_FRAMES.find { |_path, label| label.include?("blocked") }
  STAT = {gc_count: 9, gc_minor_count: 6, gc_major_count: 3, gc_time_ns: 12_000_000, allocated_objects: 1000, maxrss_bytes: 25 << 20}.freeze

  def profile(samples)
    Rperf::Native::Profile.from_h({mode: :wall, frequency: 1000, sampling_count: 4, trigger_count: 5, sampling_time_ns: 500_000,
                                   duration_ns: 100_000_000, aggregated_samples: samples, dropped: {}})
  end

  # A run of so many milliseconds, some of them blocked.
  def rows(real, blocked: 0, **stat)
    samples = {[MAIN] => real - blocked, [BLOCKED, MAIN] => blocked}.filter_map { |stack, ms| [stack, ms * 1_000_000, 1, 0] if ms.positive? }
    times = {user_ns: 50_000_000, sys_ns: 0, real_ns: real * 1_000_000}
    Rperf::StatRows.new([profile(samples)], stats: [STAT.merge(stat)], times:)
  end

  def report(runs, **more)
    runs = runs.zip(1..).to_h(&:reverse) unless runs.is_a?(Hash)
    Rperf::RepeatedStatReport.new([profile([[[MAIN], 1, 1, 0]])], runs:, command: "ruby fib.rb", **more).to_s
  end

  def test_the_layout
    assert_equal <<~TEXT.gsub(/^(?=.)/, " "), report([rows(90), rows(100), rows(110)])

      Performance stats for 'ruby fib.rb' (3 runs):

               50.0 ms  ±  0.0%          user
                0.0 ms  ±  0.0%          sys
              100.0 ms  ± 10.0%          real

              100.0 ms  ± 10.0%  100.0%  CPU execution

               12.0 ms  ±  0.0%          [Ruby] GC time
              1,000     ±  0.0%          [Ruby] allocated objects
                  0     ±  0.0%          [Ruby] freed objects
                 25 MB  ±  0.0%          [OS] peak memory (maxrss)
                  0     ±  0.0%          [OS] context switches
                  0 MB  ±  0.0%          [OS] disk I/O

       1 sample / 5 triggers, 0.5% profiler overhead
       ± is the standard deviation of the runs
       no run has an outlier

    TEXT
  end

  def test_a_run_without_a_row_counts_as_nothing
    text = report([rows(100), rows(100, blocked: 40)])
    assert_match(/^ +20\.0 ms  ±141\.4%   20\.0%  \[Ruby\] GVL blocked/, text)
    assert_match(/^ +80\.0 ms  ± 35\.4%   80\.0%  CPU execution$/, text)
  end

  def test_a_run_that_lies_apart_is_named_with_what_differs
    text = report({1 => rows(100), 2 => rows(101), 4 => rows(400, blocked: 300, allocated_objects: 9000), 5 => rows(102)})
    assert_equal ["  run 4 is an outlier: real 400.0 ms (median 101.5 ms), " \
      "[Ruby] GVL blocked (I/O, sleep) 300.0 ms (median 0.0 ms), [Ruby] allocated objects 9,000 (median 1,000)\n"], text.lines.grep(/outlier/)
  end

  # 104 ms is far outside of the spread of the others, but 4 % is nothing to look after.
  def test_what_differs_little_is_no_outlier
    assert_includes report([rows(100), rows(100), rows(100), rows(104)]), "no run has an outlier"
  end

  # Three runs of 1 ms in the collector more are a small part of the 100 ms that the program takes.
  def test_small_times_are_compared_with_the_largest
    rows = [0, 0, 0, 900_000].map { |gc| rows(100, gc_time_ns: 30_000_000 + gc) }
    assert_includes report(rows), "no run has an outlier"
  end

  def test_what_else_is_to_be_said
    assert_includes report([rows(1)], remark: "all failed"), "'ruby fib.rb' (1 run; all failed):\n"
  end

  def test_yjit_without_a_number
    text = report(Array.new(2) { |run| rows(100, yjit_compiled_count: 3 + run) })
    assert_match(/^ +on +± +\[Ruby\] YJIT/, text)
  end

  # Deaths are shares, objects are not, and no object may have died late in one of the runs.
  def test_a_row_that_a_run_lacks_is_0_in_it
    objects = Rperf::StatRow.count("objects allocated", 1000)
    died = Rperf::StatRow.new(name: "died later", value: 50, whole: 1000)
    [[[objects, died], [objects]], [[objects], [objects, died]]].each do |runs|
      mean = Rperf::RepeatedRow.blocks(runs.map { |rows| [rows] }).flatten.last.mean
      assert_equal ["died later", 25, "2.5%"], [mean.name, mean.value, mean.share]
    end
  end
end
