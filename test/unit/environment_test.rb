# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli"
require "rperf/child_environment"
require "rperf/run_directory"

class EnvironmentTest < Minitest::Test
  LIB = Paths::LIB

  def environment(values = {}, env = {}) = Rperf::ChildEnvironment.new(values, "/session", env:).to_h

  def test_the_options_travel_as_variables
    env = environment({mode: :wall, frequency: 99, signal: 40, lines: false, native: true, inherit: false, output: "x", verbose: true})
    assert_equal ["wall", "99", "40", "0", "1", "0", nil, nil], env.values_at("RPERF_MODE", "RPERF_FREQUENCY", "RPERF_SIGNAL",
      "RPERF_LINES", "RPERF_NATIVE", "RPERF_INHERIT", "RPERF_OUTPUT", "RPERF_VERBOSE")
    options = Rperf::Options.from_env(env.compact)
    assert_equal [:wall, 99, 40, false, true, false], %i[mode frequency signal lines native inherit].map { |name| options[name] }
  end

  def test_what_is_not_given_is_removed
    env = environment
    assert env.key?("RPERF_AGGREGATE")
    assert_nil env["RPERF_AGGREGATE"]
  end

  def test_rperf_comes_before_what_the_user_has
    env = environment({}, "RUBYOPT" => "-W0 -rset", "RUBYLIB" => "/a:/b")
    assert_equal "-r#{LIB}/rperf/autostart -W0 -rset", env["RUBYOPT"]
    assert_equal [LIB, "/a", "/b"], env["RUBYLIB"].split(":")
  end

  def test_rperf_inside_of_rperf_does_not_pile_up
    outer = environment
    assert_equal outer, environment({}, outer.compact)
  end

  def test_who_cannot_write_into_the_directory_of_a_run_may_set_another_one
    ["on another disk", "elsewhere"].each do |where|
      assert_equal "full; free some space, or set TMPDIR to a directory #{where}", Rperf::RunDirectory.explain("full; free some space, or name a file #{where}")
    end
    assert_equal "denied; set TMPDIR to a directory that you may write to",
      Rperf::RunDirectory.explain("denied; name a file in a directory that you may write to")
  end

  def test_ruby_warns_once_where_all_may_write_to_tmpdir
    in_directory do |directory|
      File.chmod(0o777, directory)
      _, warnings = capture_io { with_tmpdir(directory) { Rperf::RunDirectory.open { nil } } }
      assert_equal 1, warnings.lines.grep(/world-writable/).length, warnings
    end
  end

  def test_leftovers_of_dead_processes_are_removed
    in_directory do |directory|
      dead = Process.wait(fork { exit!(0) })
      mine = [dead, Process.pid].map { |pid| File.join(directory, "rperf-#{Process.uid}-#{pid}-abc") }
      other = File.join(directory, "rperf-#{Process.uid + 1}-#{dead}-abc")
      link = File.join(directory, "rperf-#{Process.uid}-#{dead}-link")
      [*mine, other].each { |path| Dir.mkdir(path) }
      File.symlink(other, link)
      with_tmpdir(directory) { Rperf::RunDirectory.open { |session| assert_equal 0o700, File.stat(session.directory).mode & 0o777 } }
      assert_equal [mine.last, other, link].sort, Dir.children(directory).map { |name| File.join(directory, name) }.sort
    end
  end

  def test_a_process_that_has_ended_is_gone_before_its_parent_asks_for_its_status
    reader, writer = IO.pipe
    pid = fork { exit!(0) }
    writer.close
    reader.read # Until the process ends.
    await("the end of the process") { Rperf::RunDirectory.gone?(pid) }
    refute_operator Rperf::RunDirectory, :gone?, Process.pid
    Process.wait(pid)
  end if File.exist?("/proc/self/stat")

  # It may need some milliseconds to go: as many as a processor takes to come to it.
  def test_a_process_that_is_killed_is_gone_at_once
    20.times do
      pid = Process.spawn("sleep 60")
      Process.kill(:KILL, pid)
      assert_operator Rperf::RunDirectory, :gone?, pid
      Process.wait(pid)
    end
  end if File.exist?("/proc/self/stat")

  # One of another container with the same temporary directory, say.
  def test_the_directory_of_a_process_that_cannot_be_seen_stays
    in_directory do |directory|
      dead = Process.wait(fork { exit!(0) })
      other = File.join(directory, "rperf-#{Process.uid}-#{dead}-abc")
      Dir.mkdir(other)
      File.open(other) do |held|
        held.flock(File::LOCK_EX)
        with_tmpdir(directory) { Rperf::RunDirectory.open { |session| refute lockable?(session.directory) } }
        assert_path_exists other
      end
    end
  end

  private

  def lockable?(path) = File.open(path) { |file| file.flock(File::LOCK_EX | File::LOCK_NB) }

  def with_tmpdir(directory)
    before = ENV["TMPDIR"]
    ENV["TMPDIR"] = directory
    yield
  ensure
    ENV["TMPDIR"] = before
  end
end
