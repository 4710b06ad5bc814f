# frozen_string_literal: true

require_relative "../process_stat"

module Rperf
  class CLI
    # How long a command takes: as `time` counts it, with all processes that were waited for, Ruby
    # or not.
    class Stopwatch
      # Starts.
      def initialize
        @started_ns = ProcessStat.now_ns
        @before = Process.times
      end

      # Stops.
      def stop
        @real_ns = ProcessStat.now_ns - @started_ns
        after = Process.times
        @user_ns = nanoseconds(after.cutime - @before.cutime)
        @sys_ns = nanoseconds(after.cstime - @before.cstime)
      end

      # {user_ns:, sys_ns:, real_ns:} of the program alone: without what its processes did for rperf
      # when they had ended. Processes without a parent that waits count as far as they left a
      # profile.
      def times(collection)
        stats = collection.stats
        finishing = collection.finishing
        last = stats.max_by { |stat| stat[:ended_ns].to_i } || {}
        {
          user_ns: [@user_ns - finishing.values.sum { |cost| cost[:user_ns] }, stats.sum { |stat| stat[:user_ns].to_i }].max,
          sys_ns: [@sys_ns - finishing.values.sum { |cost| cost[:sys_ns] }, stats.sum { |stat| stat[:sys_ns].to_i }].max,
          real_ns: @real_ns - finishing.dig(last[:pid], :real_ns).to_i
        }
      end

      private

      def nanoseconds(seconds) = (seconds * 1e9).round
    end
  end
end
