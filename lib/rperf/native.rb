# frozen_string_literal: true

require_relative "errors"
require_relative "data_hash"
require_relative "sample"
require "rperf/rperf.so" unless defined?(Rperf::Native) # The program may have changed its load path since.

Rperf::Native.complete.library = File.expand_path("..", __dir__) + "/rperf"
