# frozen_string_literal: true

require "fileutils"
require "minitest/mock"
require "tmpdir"
require_relative "../support/test_helper"
require "rperf/doctor"

# What the doctor says of machines and interpreters that are not this one.
class DoctorTest < Minitest::Test
  Machine = Rperf::Doctor::Machine
  Interpreter = Rperf::Doctor::Interpreter

  # The finding about a subject on a machine with these files.
  def found(subject, files, **options)
    Dir.mktmpdir do |root|
      files.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(root, path)))
        File.write(File.join(root, path), text)
      end
      Machine.new(root:, **options).findings.find { |finding| finding.subject == subject }
    end
  end

  def test_the_least_quota_of_the_groups_above_counts
    files = {"proc/self/cgroup" => "0::/kube/pod\n", "sys/fs/cgroup/kube/pod/cpu.max" => "max 100000\n",
             "sys/fs/cgroup/kube/cpu.max" => "60000 100000\n", "sys/fs/cgroup/cpu.max" => "400000 100000\n"}
    finding = found("cpu quota", files)
    assert_equal [:note, "60 % of a processor"], [finding.verdict, finding.text]
    assert_includes finding.advice, "[CPU wait]"
  end

  def test_a_quota_of_the_first_kind_of_control_groups
    files = {"proc/self/cgroup" => "5:memory:/a\n3:cpu,cpuacct:/a\n0::/\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us" => "150000\n",
             "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us" => "100000\n"}
    assert_equal "150 % of a processor", found("cpu quota", files).text
  end

  def test_no_quota
    [{}, {"proc/self/cgroup" => "0::/\n", "sys/fs/cgroup/cpu.max" => "max 100000\n"},
     {"proc/self/cgroup" => "3:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us" => "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us" => "100000\n"}].each do |files|
      assert_equal [:ok, "none"], found("cpu quota", files).deconstruct.values_at(1, 2)
    end
  end

  def test_one_processor
    assert_equal :note, found("processors", {}, processors: 1).verdict
    assert_equal :ok, found("processors", {}, processors: 2).verdict
  end

  def test_clocks
    path = "sys/devices/system/clocksource/clocksource0/current_clocksource"
    assert_equal :ok, found("clock", {path => "kvm-clock\n"}).verdict
    assert_equal [:note, "hpet: each reading is a system call"], found("clock", {path => "hpet\n"}).deconstruct.values_at(1, 2)
    assert_nil found("clock", {})
  end

  def test_threads_that_the_system_says_nothing_of
    finding = found("/proc", {})
    assert_equal [:note, "not mounted, or not readable"], [finding.verdict, finding.text[/[^:]+/]]
    assert_includes finding.advice, "[CPU wait]"
    assert_equal :ok, found("/proc", {"proc/self/task/#{Process.pid}/stat" => "1 (ruby) S"}).verdict
  end

  def test_filters_of_system_calls
    assert_equal "no filter", found("seccomp", {"proc/self/status" => "Name:\truby\nSeccomp:\t0\nSeccomp_filters:\t0\n"}).text
    assert_includes found("seccomp", {"proc/self/status" => "Seccomp:\t2\n"}).text, "a filter is on"
    assert_nil found("seccomp", {})
  end

  def test_why_no_native_functions_are_seen
    ticks = Rperf::Doctor::Ticks.new
    ticks.define_singleton_method(:session) { |**| {engine: :poll, samples: [], tick_count: 300, sampling_count: 300, sampling_time_ns: 0} }
    native = -> { ticks.findings.find { |finding| finding.subject == "native" }.text }
    Rperf::Native.stub(:task_clock_error, nil) { assert_includes native.call, "no tick met a function of a library" }
    Rperf::Native.stub(:task_clock_error, Errno::EPERM::Errno) do
      assert_match(/perf_event_open\(2\) fails: Operation not permitted( \(perf_event_paranoid is -?\d+\))?\z/, native.call)
    end
  end

  def test_other_profilers_and_settings_without_their_values
    findings = Interpreter.new(others: %w[Minitest Not::There], env: {"RPERF_PUSH_TOKEN_FILE" => "secret", "RPERF_RUBY" => "ruby", "RPERF_PAGER" => "cat"}).findings
    assert_equal ["loaded, too: Minitest", "in the environment: RPERF_PUSH_TOKEN_FILE"],
      findings.select { |finding| finding.verdict == :note }.map(&:text)
    assert_equal %w[ruby yjit], Interpreter.new(others: [], env: {}).findings.map(&:subject)
  end
end
