# frozen_string_literal: true

module Rperf
  module Recorder
    # How often there may be a recording.
    class Allowance
      # So many in so many seconds.
      LIMITS = {60 => 1, 3600 => 10}.freeze

      def initialize
        @taken = []
      end

      # Takes one, where there may be one. now: seconds. Returns the seconds until there may be
      # another one; nil where it was taken.
      def take(now)
        wait = LIMITS.map { |seconds, most| @taken.length < most ? 0 : @taken[-most] + seconds - now }.max
        return wait if wait.positive?
        @taken = [*@taken, now].last(LIMITS.values.max)
        nil
      end
    end
  end
end
