# frozen_string_literal: true

require "fileutils"
require "minitest/autorun"
require "timeout"
require "tmpdir"
require_relative "../support/paths"
require_relative "../support/subprocess"
require_relative "../support/waiting"

# bin/dev: a debug build beside the release build, and what runs with it.
class DevTest < Minitest::Test
  DEV = Paths.of("bin/dev")
  # Seconds that no build and no program needs.
  LIMIT = 900

  def setup = @directory = File.realpath(Dir.mktmpdir)
  def teardown = FileUtils.remove_entry(@directory)

  def test_a_command_runs_with_the_debug_build_in_its_directory_and_the_release_build_stays
    release = Paths.of("lib/rperf/rperf.so")
    before = [File.mtime(release), File.mtime(Paths.of("lib/rperf/.extension.stamp"))]
    script = 'require "rperf"; puts $LOADED_FEATURES.grep(/rperf\.so\z/), Dir.pwd; exit 3'
    result = dev("--once", "ruby", "-e", script)

    assert_equal 3, result.status.exitstatus, result.report
    library, directory = result.stdout.split("\n")
    assert_equal [debug_build, @directory], [library, directory], result.report
    assert_match(/\A\[dev\] built in \d+ s\n\z/, result.stderr)
    assert_equal before, [File.mtime(release), File.mtime(Paths.of("lib/rperf/.extension.stamp"))]
  end

  def test_a_recorded_program_has_the_debug_build_too
    result = dev("--once", "rperf", "record", "-o", "a.json", "ruby", "-e", 'puts File.read("/proc/self/maps")[%r{/\S+rperf\.so$}]')

    assert_predicate result, :success?, result.report
    assert_equal "#{debug_build}\n", result.stdout
    assert_path_exists File.join(@directory, "a.json")
  end

  def test_one_test
    result = dev("--once", Paths.of("test/unit/numbers_test.rb"), "-n", "test_grouped")

    assert_predicate result, :success?, result.report
    assert_match(/^1 runs, .* 0 failures/, result.stdout)
  end

  def test_it_runs_again_when_a_source_is_saved_and_ends_what_still_runs
    source = File.join(@directory, "app.rb")
    File.write(source, 'puts "first"; $stdout.flush; sleep')
    watching("ruby", "app.rb") do |output|
      await(output, "first")
      File.write(source, 'puts "second"; $stdout.flush; exit 4')
      await(output, "second")
      await(output, "[dev] app.rb was saved")
      await(output, "[dev] ended with status 4; waits for a source to be saved")
      File.write(source, 'puts "third"; $stdout.flush; sleep')
      await(output, "third")
    end
  end

  def test_a_wrong_argument_is_a_sentence
    {
      [] => "nothing to run: use bin/dev COMMAND, bin/dev TEST_FILE [-n NAME], or bin/dev cargo NAME\n",
      %w[--always ruby] => "unknown option '--always': use bin/test FILE -n NAME, or bin/test cargo NAME\n"
    }.each do |arguments, sentence|
      result = dev(*arguments)

      assert_equal [2, "", sentence], [result.status.exitstatus, result.stdout, result.stderr]
    end
  end

  private

  def debug_build = File.join(ENV["CARGO_TARGET_DIR"] || Paths.of("target"), "dev/rperf.so")

  def dev(*arguments) = Subprocess.run(DEV, *arguments, chdir: @directory, deadline: LIMIT)

  # Yields the path of what bin/dev and its program print, and ends both.
  def watching(*arguments)
    output = File.join(@directory, "output.txt")
    pid = Process.spawn(DEV, *arguments, chdir: @directory, out: output, err: output, in: File::NULL, pgroup: true)
    yield output
    Process.kill(:TERM, pid)
    Timeout.timeout(LIMIT) { Process.wait(pid) }
    assert_equal 130, $?.exitstatus
  ensure
    Process.kill(:KILL, pid) if pid && $?&.pid != pid
  end

  def await(output, text)
    Waiting.await(-> { "#{text.inspect} in: #{File.read(output)}" }, seconds: LIMIT) { File.read(output).include?(text) }
  end
end
