# frozen_string_literal: true

require_relative "../missing_profiles"
require_relative "../profile_file"
require_relative "process_stats"

module Rperf
  class CLI
    # The profiles that the processes of one run left in the session directory, merged by mode.
    class Collection
      # Advice about a process that still runs: a daemon.
      FOR_DAEMONS = "keep it in the foreground, or start it without rperf, as RPERF_ENABLED=1 " \
                    "RPERF_OUTPUT=rperf.data RUBYOPT=-rrperf/autostart COMMAND: then it writes its own file when it ends"

      def initialize(session)
        @session = session
        @profiles = session.profiles
      end

      # Number of processes that left a profile. One that calls `exec` leaves several profiles.
      def count = stats.length

      # Whether no process left a profile.
      def empty? = @profiles.empty?

      # Resources that each process used: see ProcessStat. Its profiles of all modes state them.
      def stats
        @stats ||= begin
          of_one_mode = @profiles.select { |_pid, profile| profile.mode == @profiles.first.last.mode }
          ProcessStats.by_process(of_one_mode.map { |pid, profile| profile.figures.fetch(:stat, {}).merge(pid:) })
        end
      end

      # All profiles, merged: a Native::Profile for each mode.
      def profiles = @merged ||= ProfileFile.merge_recording(@profiles.map(&:last))

      # Times that processes spent on their profiles after the end of the program: {pid =>
      # {user_ns:, sys_ns:, real_ns:}}.
      def finishing
        @session.marks.filter_map { |pid, text|
          costs = text.match(/\Awritten (-?\d+) (-?\d+) (-?\d+)\z/)&.captures
          [pid, %i[user_ns sys_ns real_ns].zip(costs.map(&:to_i)).to_h] if costs # A program that has changed Integer writes anything.
        }.to_h
      end

      # Sentences for people about processes that left no profile.
      def remarks = MissingProfiles.new(@session.marks, written: @profiles.map(&:first), running: FOR_DAEMONS).remarks
    end
  end
end
