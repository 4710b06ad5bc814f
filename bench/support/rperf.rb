# frozen_string_literal: true

# The rperf of this checkout.
$LOAD_PATH.unshift(File.expand_path("../../lib", __dir__))
require "rperf"
