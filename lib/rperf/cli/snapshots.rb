# frozen_string_literal: true

module Rperf
  class CLI
    # Several profiles of what one process has in use, one after the other. What is in use is a
    # state: a sum of these profiles counts an object as often as it was there.
    class Snapshots
      # profiles: profiles (Rperf::Native::Profile) that become one
      def initialize(profiles)
        @of_processes = profiles.select(&:in_use?).group_by(&:pids).except([])
      end

      # Returns a sentence about a process that has several such profiles, or nil.
      def problem
        pids, profiles = @of_processes.find { |_pids, several| several.length > 1 && of_one_process?(several) }
        return unless pids
        "#{profiles.length} files are of process #{pids.join(", ")}, and what it has in use is in each of them: " \
          "name the last one alone, or compare two with 'rperf diff'"
      end

      private

      # Whether the profiles begin together, as snapshots of one period do, or each begins when the
      # one before has ended. Those of equal numbers in different containers overlap.
      def of_one_process?(profiles)
        profiles.sort_by(&:start_time_ns).each_cons(2).any? do |one, other|
          one.start_time_ns == other.start_time_ns || one.end_time_ns <= other.start_time_ns + TOLERANCE_NS
        end
      end

      # Durations are of another clock than starts.
      TOLERANCE_NS = 10_000_000
      private_constant :TOLERANCE_NS
    end
  end
end
