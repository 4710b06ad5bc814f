# frozen_string_literal: true

require "minitest/mock"
require_relative "../support/test_helper"

class RecordingTest < Minitest::Test
  def teardown = Rperf.stop

  def test_the_clock_of_the_system_may_be_set_while_a_session_runs
    Rperf.start
    Time.stub(:now, Time.now + 3600) { assert_operator Rperf::Recording.status[:seconds], :<, 600 }
  end
end
