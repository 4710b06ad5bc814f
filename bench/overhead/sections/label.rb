# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require_relative "../lib/statistics"
require_relative "../lib/table"
require_relative "../../support/rperf"

module Overhead
  module Sections
    # Cost of a pair of label calls (the begin and the end of a block), or of a unit of work, beyond
    # the call of a method that yields.
    class Label
      CHILD = File.expand_path("../label_child.rb", __dir__)
      ENGINES = { "interpreter" => [], "YJIT" => ["--yjit"] }.freeze
      # Maximum costs of cases, in ns.
      BARS = { "one label" => 200, "a unit of work, wall mode" => 3000, "a unit of work, no session" => 100 }.freeze

      def initialize(rounds:, quick:)
        @rounds = rounds
        @calls = quick ? 50_000 : 500_000
      end

      def title = "Labels: Rperf.label with a block, and Rperf.work, ns a call beyond a method that yields, medians of #{@rounds} rounds, [quartiles]"

      def tables
        results = ENGINES.transform_values { |flags| run(flags) }
        rows = results.values.first.keys.map { |name| [name, *results.values.map { |costs| cell(costs.fetch(name)) }, BARS[name]] }
        [Table.markdown(["", *ENGINES.keys, "bar"], rows)]
      end

      private

      # {case => [ns of each round]}
      def run(flags)
        out, status = Open3.capture2(RbConfig.ruby, *flags, CHILD, @calls.to_s, @rounds.to_s)
        abort "bench/overhead: the child of the label section failed" unless status.success?
        JSON.parse(out)
      end

      def cell(costs)
        low, high = Statistics.quartiles(costs)
        format("%d [%d, %d]", Statistics.median(costs).round, low.round, high.round)
      end
    end
  end
end
