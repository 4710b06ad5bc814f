# frozen_string_literal: true

module Rperf
  module Recorder
    # Limits how often recordings are made.
    class Allowance
      # Maximum number of recordings in a time, by the time in seconds.
      LIMITS = {60 => 1, 3600 => 10}.freeze

      def initialize
        @taken = []
      end

      # Takes a recording from the allowance, where the limits permit it. now: in seconds. Returns
      # nil where it was taken, else the seconds until the limits permit the next one.
      def take(now)
        wait = LIMITS.map { |seconds, most| @taken.length < most ? 0 : @taken[-most] + seconds - now }.max
        return wait if wait.positive?
        @taken = [*@taken, now].last(LIMITS.values.max)
        nil
      end
    end
  end
end
