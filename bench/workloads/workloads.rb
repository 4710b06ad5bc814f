# frozen_string_literal: true

# Without RubyGems, Ruby has not loaded rbconfig.
require "rbconfig"

# Loads the module Workloads, built first if needed. (bench/workloads/build says what that needs.)
extension = File.expand_path("target/workloads.so", __dir__)
unless File.exist?(extension)
  build = File.expand_path("build", __dir__)
  system({ "RPERF_RUBY" => RbConfig.ruby }, build) or abort "#{build} failed: see its message above."
end
require extension
