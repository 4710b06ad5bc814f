# frozen_string_literal: true

require_relative "../support/program"

# Variables of the environment that have no effect are named, once.
class VariablesCommandTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Runs a program that requires rperf, with these variables.
  def run_with(script = "puts :done", **env)
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", script, directory:, env: env.transform_keys(&:to_s))
      assert_equal 0, result.code, result.inspect
      result.err
    end
  end

  def test_of_each_part
    {RPERF_FREQUENZY: "RPERF_FREQUENCY", RPERF_ENABLE: "RPERF_ENABLED", RPERF_RECORDERS: "RPERF_RECORDER", RPERF_LISTN: "RPERF_LISTEN",
     RPERF_CONTROLL: "RPERF_CONTROL", RPERF_PUSH_ULR: "RPERF_PUSH_URL"}.each do |name, meant|
      assert_equal "rperf: there is no variable #{name}; did you mean '#{meant}'?\n", run_with(name => "1")
    end
  end

  def test_beside_parts_that_the_environment_starts
    env = {RPERF_CONTROL: "1", RPERF_RECORDER: "directory=recordings", RPERF_PUSH_URL: "file:pushed/%t.json", RPERF_MODES: "wall"}
    assert_equal ["rperf: there is no variable RPERF_MODES; did you mean 'RPERF_MODE'?\n"], run_with(**env).lines.grep(/variable/)
    assert_empty run_with(**env.except(:RPERF_MODES)).lines.grep(/variable/)
  end

  def test_once_by_rperf_record_for_all_processes
    in_directory do |directory|
      program = "require 'rperf'; Process.wait(fork { 1 }); system(#{RUBY.dump}, '-rrperf', '-e', '1')"
      result = rperf("record", "-o", "p.json", "ruby", "-e", program, directory:, env: {"RPERF_RECORDERS" => "1", "RPERF_MODE" => "wall", "RUBYLIB" => Paths::LIB})
      *said, wrote = result.err.lines
      assert_equal ["rperf: there is no variable RPERF_RECORDERS; did you mean 'RPERF_RECORDER'?\n",
                    "rperf: RPERF_MODE has no effect on 'rperf record': use its options ('rperf help record' lists them)\n"], said
      assert_match(/ of CPU time, .*3 processes/, wrote)
    end
  end

  def test_rperf_below_rperf_has_variables_of_the_other_one
    in_directory do |directory|
      result = rperf("record", "-m", "wall", "-o", "outer.json", RUBY, "--disable-gems", RPERF, "stat", "-o", "inner.json", RUBY, "-e", "1", directory:)
      assert_empty result.err.lines.grep(/no effect|variable/)
      assert_path_exists File.join(directory, "inner.json")
    end
  end
end
