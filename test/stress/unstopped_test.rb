# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/program"

# Programs that end while a session runs; test/stress/unstopped.rb runs each as often as one likes.
class UnstoppedTest < Minitest::Test
  # Seconds: only a hang takes as long.
  LIMIT = 600

  def test_no_program_crashes_that_ends_while_its_session_runs
    result = Stress::Program.run("unstopped.rb", "--runs", "1", "--machines", "interpreter", limit: LIMIT)

    assert_equal 0, result.status, result.output
    assert_match(/^unstopped: 32 kinds of programs, 1 runs each, 0 failed$/, result.output)
  end
end
