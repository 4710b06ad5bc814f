# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/program"

# The torture, for as long as a test may take; test/stress/torture.rb runs as long as one likes.
class TortureTest < Minitest::Test
  def test_every_hazard_survives_and_no_frame_is_wrong
    result = Stress::Program.run("torture.rb", "--seconds", "12", limit: 300)

    assert_equal 0, result.status, result.output
    assert_match(/\d+ rounds/, result.output)
  end
end
