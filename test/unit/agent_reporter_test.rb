# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/agent_doubles"
require_relative "../support/test_helper"

# When the agent takes profiles.
class AgentReporterTest < Minitest::Test
  Agent = Rperf::Agent
  # Seconds: no test waits so long, unless it hangs.
  DEADLINE = 30
  # Its phase is the end of a period.
  Series = Struct.new(:instance)
  LAST = Series.new("f" * 32)

  # Keeps the deliveries.
  class Sender < Thread::Queue
    def cpu_ns = 0
  end

  def teardown
    @reporter&.stop
  end

  # Starts a reporter.
  def report(**given)
    settings = Agent::Settings.new(push: "file:%t.json", period: 600, **given)
    @sent = Sender.new
    @reporter = Agent::Reporter.new(settings, LAST, [@sent], log: AgentDoubles::Lines.new).tap(&:start)
  end

  def test_the_first_stretch_is_no_longer_than_the_others
    report(mode: :cpu, duty: "1s/600s")
    assert @sent.pop(timeout: DEADLINE), "a profile of the first second"
    @reporter.flush(DEADLINE) # Its thread has closed the session before.
    assert_equal [false, "this is a pause (duty: 1s/600s)"], @reporter.status.values_at(:session, :problem)
  end

  # Returns the weights of the profiles that were sent in the meantime.
  def weights = Array.new(@sent.length) { @sent.pop.profile.weight }

  # They take less than SHORTEST.
  def test_the_rest_is_sent_however_short_it_is
    report(mode: :custom)
    Rperf.sample
    @reporter.flush(DEADLINE)
    assert_equal [1], weights
    @reporter.flush(DEADLINE)
    assert_equal 0, weights.sum
    2.times { Rperf.sample }
    @reporter.stop(last: DEADLINE)
    assert_equal [2], weights
  end
end
