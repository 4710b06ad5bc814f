# frozen_string_literal: true

require_relative "../../memory/programs/rails"
require_relative "cpu_bound"

module Overhead
  module Sections
    # What profiling adds to requests of Rails, on one thread: deep stacks of many methods.
    class Rails < CpuBound
      LOWER_HZ = 99
      # Requests that compile, fill caches and open files.
      WARMING = 100

      def initialize(rounds:, quick:)
        super
        @piece_s = quick ? 0.1 : 1.0
      end

      def title = "Rails requests, 1000 Hz: medians of #{@rounds} interleaved rounds of #{@piece_s} s, [quartiles]"

      def tables
        requests = calibrate
        costs, = Rounds.new(variants, rounds: @rounds).run { requests.times { Program.call } }
        [Table.markdown(heads, costs.map { |name, of_variant| row(name, of_variant, costs) })]
      end

      private

      def variants = [*super, Variant.rperf(:cpu, hz: LOWER_HZ), Variant.rperf(:wall, hz: LOWER_HZ)]

      def calibrate
        WARMING.times { Program.call }
        start = Workloads.thread_cpu_ns
        WARMING.times { Program.call }
        (WARMING * @piece_s * 1e9 / (Workloads.thread_cpu_ns - start)).ceil
      end
    end
  end
end
