# frozen_string_literal: true

require "minitest"
require_relative "gates"

module Rperf
  # Minitest assertions for limits on the costs of code.
  #
  #   require "rperf/minitest"
  #
  #   class ReportTest < Minitest::Test
  #     include Rperf::Assertions
  #
  #     def test_a_large_report
  #       assert_cpu_time_below(0.5) { Report.new(rows).to_s }
  #       assert_allocations_below(10_000) { Report.new(rows).to_s }
  #     end
  #   end
  #
  # A failed test shows the ten heaviest functions.
  module Assertions
    # Fails if the block uses `seconds` of CPU time or more; all threads count. Returns the block's
    # value.
    def assert_cpu_time_below(seconds, &) = assert_cost(Gates.cpu_time(seconds, &))

    # Fails if the calling thread allocates `count` objects or more in the block. Returns the
    # block's value.
    def assert_allocations_below(count, &) = assert_cost(Gates.allocations(count, &))

    private

    def assert_cost(cost)
      assert cost.within?, -> { cost.failure }
      cost.value
    end
  end
end
