# frozen_string_literal: true

require_relative "agent/agent"

# Here, since `RUBYOPT=-rrperf/agent` is all that a program may have.
Rperf::Agent.start_from_env
