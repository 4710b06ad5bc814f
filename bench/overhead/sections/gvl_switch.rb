# frozen_string_literal: true

require_relative "../lib/rounds"
require_relative "../lib/statistics"
require_relative "../lib/table"

module Overhead
  module Sections
    # What profiling adds to a switch of the GVL: two threads hand a token to and fro.
    class GvlSwitch
      def initialize(rounds:, quick:)
        @rounds = rounds
        @handovers = quick ? 4_000 : 20_000
      end

      def title = "GVL switch: two threads and two queues on one CPU, #{@handovers} handovers a round, medians of #{@rounds} rounds, [quartiles]"

      def tables
        costs, = Workloads.on_one_cpu { Rounds.new(variants, rounds: @rounds).run { hand_over } }
        [Table.markdown(["", *%w[wall CPU].flat_map { |clock| ["#{clock}, ns a switch", "above nothing", "above bare worker timer"] }], rows(costs))]
      end

      private

      def variants
        [Variant.nothing, Variant.bare(:worker), Variant.bare(:perf), Variant.rperf(:cpu), Variant.rperf(:wall), Variant.rperf(:wall, signal: false)]
      end

      def rows(costs)
        bases = costs.fetch_values("nothing", "bare timer, worker")
        costs.map { |name, of_variant| [name, *%i[wall cpu].flat_map { |clock| cells(of_variant, bases, clock) }] }
      end

      # What a switch costs, and how much more than with each of the bases.
      def cells(costs, bases, clock)
        own, *others = [costs, *bases].map { |list| list.map { |cost| cost[clock] / @handovers.to_f } }
        [Statistics.median(own).round, *others.map { |base| difference(own, base) }]
      end

      def difference(own, base)
        differences = own.zip(base).map { |value, basis| value - basis }
        format("%+d [%+d, %+d]", *[Statistics.median(differences), *Statistics.quartiles(differences)].map(&:round))
      end

      def hand_over
        there = Queue.new
        back = Queue.new
        other = Thread.new { (@handovers / 2).times { back << there.pop } }
        (@handovers / 2).times do
          there << true
          back.pop
        end
        other.join
      end
    end
  end
end
