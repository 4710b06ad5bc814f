# frozen_string_literal: true

require_relative "../lib/rounds"
require_relative "../lib/statistics"
require_relative "../lib/table"

module Overhead
  module Sections
    # Cost of profiling for CPU-bound Ruby code, beside that of bare ticks.
    class CpuBound
      DEPTHS = [10, 200].freeze
      BARE = %i[thread worker perf].freeze

      def initialize(rounds:, quick:)
        @rounds = rounds
        @piece_s = quick ? 0.1 : 0.4
      end

      def title = "CPU-bound, 1000 Hz: medians of #{@rounds} interleaved rounds of #{@piece_s} s, [quartiles]"

      def tables
        DEPTHS.map { |depth| "Depth #{depth}:\n\n#{table(depth)}" }
      end

      private

      def table(depth)
        calls = calls_of_a_piece
        compared(variants) { at_depth(depth) { work(calls) } }
      end

      # Returns a table of the costs of the block with each variant.
      def compared(variants, &)
        costs, = Rounds.new(variants, rounds: @rounds).run(&)
        Table.markdown(heads, costs.map { |name, of_variant| row(name, of_variant, costs) })
      end

      def heads
        ["", "process CPU above nothing", "wall above nothing", "CPU above bare thread timer", "wall above bare thread timer"]
      end

      def row(name, of_variant, costs)
        bases = [costs.fetch("nothing"), costs.fetch("bare timer, thread")]
        [name, *bases.flat_map { |base| %i[cpu wall].map { |clock| above(of_variant, base, clock) } }]
      end

      def above(costs, base, clock)
        differences = Statistics.paired(costs.map(&clock), base.map(&clock))
        low, high = Statistics.quartiles(differences)
        format("%+.2f %% [%+.2f, %+.2f]", Statistics.median(differences) * 100, low * 100, high * 100)
      end

      def variants
        [Variant.nothing, *BARE.map { |kind| Variant.bare(kind) }, Variant.rperf(:cpu), Variant.rperf(:wall)]
      end

      def calls_of_a_piece = calibrate(100_000) { |calls| work(calls) }

      # Returns the amount of work that takes as long as a piece. The block does a given amount.
      def calibrate(amount)
        yield amount
        start = Workloads.thread_cpu_ns
        yield amount
        (amount * @piece_s * 1e9 / (Workloads.thread_cpu_ns - start)).ceil
      end

      def at_depth(depth, &block) = depth.zero? ? block.call : at_depth(depth - 1, &block)

      def work(calls)
        sum = 0
        calls.times { |i| sum = mix(sum, i) }
        sum
      end

      def mix(sum, number) = (sum ^ (number * 31)) & 0xffff_ffff
    end
  end
end
