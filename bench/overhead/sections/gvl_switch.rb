# frozen_string_literal: true

require_relative "../lib/rounds"
require_relative "../lib/statistics"
require_relative "../lib/switches"
require_relative "../lib/table"

module Overhead
  module Sections
    # Cost of profiling for a switch of the GVL, beside the costs of bare ticks and of the VM's
    # events.
    class GvlSwitch
      # Frequency so low that ticks cost almost nothing, and only the cost of the switch remains:
      # all threads share one CPU here, and ticks take their time from it.
      FEW_HZ = 20
      BASES = ["nothing", "bare timer, worker", "bare timer, worker and GVL hooks"].freeze

      def initialize(rounds:, quick:)
        @rounds = rounds
        @switches = quick ? 4_000 : 40_000
      end

      def title = "GVL switch: on one CPU, #{@switches} switches a round, wall time in ns a switch, medians of #{@rounds} rounds, [quartiles]"

      def tables = Switches::KINDS.map { |kind, text| "#{text}:\n\n#{table(kind)}" }

      private

      def table(kind)
        costs, = Workloads.on_one_cpu { Rounds.new(variants, rounds: @rounds).run { Switches.public_send(kind, @switches) } }
        per_switch = costs.transform_values { |list| list.map { |cost| cost.wall / @switches.to_f } }
        Table.markdown(["", "a switch", *BASES.map { |name| "above #{name}" }], per_switch.map { |name, list| row(name, list, per_switch) })
      end

      def variants
        bare = [Variant.bare(:worker), Variant.bare(:worker, hooks: true), Variant.bare(:perf)]
        rperf = %i[cpu wall].flat_map { |mode| [Variant.rperf(mode), Variant.rperf(mode, hz: FEW_HZ)] }
        [Variant.nothing, *bare, *rperf, Variant.rperf(:wall, signal: false)]
      end

      def row(name, own, per_switch)
        [name, Statistics.median(own).round, *per_switch.fetch_values(*BASES).map { |base| difference(own, base) }]
      end

      def difference(own, base)
        differences = own.zip(base).map { |value, basis| value - basis }
        format("%+d [%+d, %+d]", *[Statistics.median(differences), *Statistics.quartiles(differences)].map(&:round))
      end
    end
  end
end
