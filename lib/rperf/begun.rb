# frozen_string_literal: true

# The facade, for files that a program may require instead of rperf. If rperf/autostart has begun a
# session, ProfiledProcess takes it over here.

require_relative "facade"
require_relative "work"
require_relative "profiled_process" if defined?(Rperf::BEGUN)
