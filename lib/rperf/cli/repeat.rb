# frozen_string_literal: true

require_relative "run"
require_relative "terminal"
require_relative "../profile_file"
require_relative "../repeated_stat_report"

module Rperf
  class CLI
    # `rperf stat --repeat N`: runs the command several times, and prints one summary.
    class Repeat < Run
      # Runs the command; returns the exit status of the first run that failed, or 0. Does not
      # return when a signal ended a run.
      def call
        @runs = {}
        @failed = {}
        ending = nil
        (1..count).each do |number|
          ending = run_number(number)
          break if last?(ending, number)
        end
        guard { summary } unless @runs.empty?
        (@failed.values.first || ending).call
      end

      private

      def count = @values[:repeat]

      def run_number(number)
        @number = number
        run_once.tap do |ending|
          next unless ending.failed?
          @failed[number] = ending
          note("run #{number} of #{count} #{ending}") unless ending.success?
        end
      end

      # Whether the other runs are left out: no Ruby ran, or a signal came, which is for all runs.
      def last?(ending, number)
        return false if number == count
        return false if @runs.key?(number) && !ending.signaled? && !interrupted?
        note("no more runs: #{Numbers.counted(number, "run")} of #{count} made")
        true
      end

      def deliver(collection, times)
        return if collection.empty?
        @runs[@number] = {profiles: collection.profiles, stats: collection.stats, times:}
      end

      # Prints the summary. Runs that failed are left out, unless all of them failed.
      def summary
        kept = @runs.keys - @failed.keys
        kept = @runs.keys if kept.empty?
        runs = @runs.slice(*kept)
        wholes = runs.values.flat_map { |run| run[:profiles] }.group_by(&:mode).transform_values { |of_mode| ProfileFile.merge(of_mode) }
        profiles = wholes.values
        print_statistics(profiles)
        rows = runs.transform_values { |run| StatRows.new(run[:profiles].map { |profile| busy(profile, wholes) }, **run.slice(:stats, :times)) }
        Error.say(RepeatedStatReport.new(profiles, runs: rows, command: @words.join(" "), remark:,
          tables: @values[:tables], idle: idle?, columns: Terminal.new($stderr).columns).to_s)
        write_and_say(profiles)
      end

      # Returns the profile of a run without idle time. All runs together decide which time that is:
      # else their figures would not be comparable.
      def busy(profile, wholes) = idle? ? profile : profile.without_idle_of(wholes.fetch(profile.mode))

      # "left out, since they failed: 2, 3"
      def remark
        return if @failed.empty?
        (@runs.keys - @failed.keys).empty? ? "all failed" : "left out, since they failed: #{@failed.keys.join(", ")}"
      end
    end
  end
end
