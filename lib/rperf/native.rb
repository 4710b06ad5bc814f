# frozen_string_literal: true

require_relative "errors"
require_relative "data_hash"
require_relative "sample"
require "rperf/rperf.so"

Rperf::Native.library = File.expand_path("..", __dir__) + "/rperf"
