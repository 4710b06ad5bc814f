# frozen_string_literal: true

require_relative "run"
require_relative "../stat_report"

module Rperf
  class CLI
    # `rperf stat`: a summary on stderr.
    class Stat < Run
      private

      def deliver(collection, times)
        data = collection.data
        print_statistics(data) if @values[:verbose]
        tell(StatReport.new(data, stats: collection.stats, command: @words.join(" "), times:, tables: tables?).to_s)
        return unless output
        write_output(data)
        note("wrote #{@values[:output]}")
      end

      def tables? = @values[:tables]
    end
  end
end
