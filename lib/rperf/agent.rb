# frozen_string_literal: true

require_relative "agent/agent"

# The agent starts here, since `RUBYOPT=-rrperf/agent` may be all that a program has.
Rperf::Agent.start_from_env
