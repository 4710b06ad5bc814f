# frozen_string_literal: true

require_relative "errors"
require "rperf/rperf.so"
