# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli/stopwatch"

class StopwatchTest < Minitest::Test
  Collection = Struct.new(:stats, :finishing)

  def setup
    @stopwatch = Rperf::CLI::Stopwatch.new
    Process.wait(fork { exit! })
    @stopwatch.stop
  end

  def test_what_rperf_did_at_the_end_is_not_the_programs
    plain = times([{pid: 1, ended_ns: 5}, {pid: 2, ended_ns: 9}], {})
    less = times([{pid: 1, ended_ns: 5}, {pid: 2, ended_ns: 9}],
      {1 => {user_ns: 2, sys_ns: 3, real_ns: 500}, 2 => {user_ns: 4, sys_ns: 5, real_ns: 70}})
    assert_equal plain[:real_ns] - 70, less[:real_ns], "the last one's"
    assert_operator less[:user_ns], :<=, plain[:user_ns]
  end

  def test_processes_that_nobody_waited_for
    hour = 3_600_000_000_000
    found = times([{pid: 1, ended_ns: 5, user_ns: hour, sys_ns: hour}, {pid: 2, ended_ns: 9, user_ns: 1, sys_ns: 2}], {})
    assert_equal [hour + 1, hour + 2], found.values_at(:user_ns, :sys_ns)
  end

  def test_without_any_process_that_said_so
    assert_operator times([], {})[:real_ns], :>, 0
  end

  private

  def times(...) = @stopwatch.times(Collection.new(...))
end
