# frozen_string_literal: true

require_relative "../../memory/programs/rails"
require_relative "cpu_bound"

module Overhead
  module Sections
    # Cost of profiling for requests of Rails, on one thread: deep stacks of many methods.
    class Rails < CpuBound
      LOWER_HZ = 99
      # Number of first requests, which compile, fill caches and open files.
      WARMING = 100

      def initialize(rounds:, quick:)
        super
        @piece_s = quick ? 0.1 : 1.0
      end

      def title = "Rails requests, 1000 Hz: medians of #{@rounds} interleaved rounds of #{@piece_s} s, [quartiles]"

      def tables
        requests = calibrate(WARMING) { |count| ask(count) }
        [compared(variants) { ask(requests) }]
      end

      private

      def variants = [*super, Variant.rperf(:cpu, hz: LOWER_HZ), Variant.rperf(:wall, hz: LOWER_HZ)]

      def ask(requests) = requests.times { Program.call }
    end
  end
end
