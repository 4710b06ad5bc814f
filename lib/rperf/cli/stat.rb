# frozen_string_literal: true

require_relative "run"
require_relative "../stat_report"

module Rperf
  class CLI
    # `rperf stat`: a summary on stderr.
    class Stat < Run
      private

      def deliver(collection, times)
        profile = collection.profile
        print_statistics(profile) if @values[:verbose]
        tell(StatReport.new(profile, stats: collection.stats, command: @words.join(" "), times:, tables: tables?).to_s)
        return unless output
        write_output(profile)
        note("wrote #{@values[:output]}")
      end

      def tables? = @values[:tables]
    end
  end
end
