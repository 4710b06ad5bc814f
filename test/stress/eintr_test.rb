# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/program"

# No tick interrupts a blocking call; test/stress/eintr.rb tells more and runs as long as one likes.
class EintrTest < Minitest::Test
  SECONDS = "5"
  # Seconds: only a hang takes as long.
  LIMIT = 300

  def test_no_call_is_disturbed_in_cpu_mode
    assert_undisturbed "cpu"
  end

  def test_no_call_is_disturbed_in_wall_mode
    assert_undisturbed "wall"
  end

  # A timer that signals the thread wherever it is: the program must notice, or the tests above say
  # nothing.
  def test_a_timer_that_interrupts_is_noticed
    result = Stress::Program.run("eintr.rb", "--control", "--seconds", "2", limit: LIMIT)

    assert_equal 1, result.status, result.output
    assert_match(/poll_with_gvl: [1-9]\d* EINTR/, result.output)
    assert_match(/flock_with_gvl: 0 EINTR .* up to \d{2,} wake-ups/, result.output)
  end

  private

  def assert_undisturbed(mode)
    result = Stress::Program.run("eintr.rb", "--mode", mode, "--seconds", SECONDS, limit: LIMIT)

    assert_equal 0, result.status, result.output
    assert_match(/^#{mode}: [1-9]\d* waits, 0 EINTR$/, result.output)
  end
end
