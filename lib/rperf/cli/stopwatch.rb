# frozen_string_literal: true

require_relative "../process_stat"

module Rperf
  class CLI
    # Measures how long a command takes, as `time` does: with all processes that were waited for,
    # Ruby or not.
    class Stopwatch
      # Starts the measurement.
      def initialize
        @started_ns = ProcessStat.now_ns
        @before = Process.times
      end

      # Ends the measurement.
      def stop
        @real_ns = ProcessStat.now_ns - @started_ns
        after = Process.times
        @user_ns = nanoseconds(after.cutime - @before.cutime)
        @sys_ns = nanoseconds(after.cstime - @before.cstime)
      end

      # Returns {user_ns:, sys_ns:, real_ns:} of the program alone, without the time that its
      # processes spent for rperf after their end. A process whose parent does not wait for it
      # counts only as far as it left a profile.
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
