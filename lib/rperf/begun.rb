# frozen_string_literal: true

# The facade, for files that a program may require instead of rperf: the session that
# rperf/autostart has begun has an owner from here on.

require_relative "facade"
require_relative "profiled_process" if defined?(Rperf::BEGUN)
