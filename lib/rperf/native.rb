# frozen_string_literal: true

require_relative "errors"
require_relative "data_hash"
require_relative "sample"
# RPERF_EXTENSION names a debug build, made by bin/dev.
require ENV.fetch("RPERF_EXTENSION", "rperf/rperf.so") unless defined?(Rperf::Native) # The program may have changed its load path since.

Rperf::Native.complete.library = File.expand_path("..", __dir__) + "/rperf"
