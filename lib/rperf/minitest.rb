# frozen_string_literal: true

require "minitest"
require_relative "gates"

module Rperf
  # For Minitest: limits on what code may cost.
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
  # A test that fails shows the ten heaviest functions.
  module Assertions
    # Fails where the block uses as many seconds of CPU time, or more; all threads count. Returns
    # the block's value.
    def assert_cpu_time_below(seconds, &) = assert_cost(Gates.cpu_time(seconds, &))

    # Fails where the calling thread allocates as many objects in the block, or more. Returns the
    # block's value.
    def assert_allocations_below(count, &) = assert_cost(Gates.allocations(count, &))

    private

    def assert_cost(cost)
      assert cost.within?, -> { cost.failure }
      cost.value
    end
  end
end
