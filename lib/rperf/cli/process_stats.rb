# frozen_string_literal: true

module Rperf
  class CLI
    # Sums up the resources that the processes of a run used.
    module ProcessStats
      # Figures that the system counts from the start of the process, through every `exec`. The last
      # value includes the others.
      OF_THE_SYSTEM = %i[user_ns sys_ns maxrss_bytes voluntary_switches involuntary_switches read_bytes written_bytes ended_ns].freeze

      # Figures whose value at the end of the process counts, whatever it was before an `exec`.
      AT_THE_END = %i[heap_pages_bytes heap_live_bytes rss_bytes rss_file_bytes malloc_used_bytes malloc_free_bytes].freeze

      # Makes one Hash for each process of one Hash for each profile (see ProcessStat, with :pid).
      def self.by_process(stats)
        stats.group_by { |stat| stat[:pid] }.map { |_pid, parts| parts.reduce { |all, part| together(all, part) } }
      end

      def self.together(one, other)
        one.merge(other) do |name, a, b|
          next b unless a.is_a?(Integer) && b.is_a?(Integer) && name != :pid
          next (one[:ended_ns] > other[:ended_ns] ? a : b) if AT_THE_END.include?(name)
          OF_THE_SYSTEM.include?(name) ? [a, b].max : a + b
        end
      end
      private_class_method :together
    end
  end
end
