# frozen_string_literal: true

require_relative "run"
require_relative "terminal"
require_relative "../stat_report"

module Rperf
  class CLI
    # `rperf stat`: prints a summary to stderr.
    class Stat < Run
      # Does what Run#call does. Several runs are made by Repeat.
      def call
        return super if @values[:repeat] == 1
        check
        require_relative "repeat"
        Repeat.new({**@values, tables: tables?}, @words).call
      end

      private

      def deliver(collection, times)
        profiles = collection.profiles
        print_statistics(profiles)
        Error.say(StatReport.new(profiles, stats: collection.stats, command: @words.join(" "), times:, tables: tables?, idle: idle?,
          columns: Terminal.new($stderr).columns).to_s)
        write_and_say(profiles)
      end

      def tables? = @values[:tables]
    end
  end
end
