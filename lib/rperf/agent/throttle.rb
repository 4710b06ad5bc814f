# frozen_string_literal: true

module Rperf
  class Agent
    # Lowers the frequency where sampling takes too much of the processor, and raises it again. The
    # time of hooks does not count: hooks are called as often at any frequency, and in a busy server
    # take more than everything else.
    class Throttle
      # Frequency below which it is not lowered, in Hz.
      LEAST = 10
      # Number of periods in a row that are too expensive before the frequency is halved, and of
      # good periods before it is doubled.
      BAD = 2
      GOOD = 10
      # Minimum time that is judged, in nanoseconds: shorter periods are judged together. Making and
      # sending one profile may take 1 % of a second.
      SPAN = 10_000_000_000

      attr_reader :frequency, :changes

      # most: the share of a processor that sampling may take, from 0 to 1
      def initialize(frequency, most:)
        @wanted = @frequency = frequency
        @most = most
        @bad = @good = @changes = @used = @lasted = 0
      end

      # Whether the frequency is lower than the one that was asked for.
      def lowered? = @frequency < @wanted

      # Judges a period that is over, by the figures of its profile. own: CPU time of the agent's
      # threads in it, in nanoseconds. Returns whether the frequency has changed.
      def period(figures, own:)
        @used += figures[:sampling_time_ns].to_i + own
        @lasted += figures[:duration_ns]
        return false if @lasted < SPAN
        is_bad = @used > @lasted * @most
        @used = @lasted = 0
        @bad, @good = is_bad ? [@bad + 1, 0] : [0, @good + 1]
        return change([@frequency / 2, LEAST].max) if @bad == BAD
        return change([@frequency * 2, @wanted].min) if @good == GOOD
        false
      end

      private

      def change(frequency)
        @bad = @good = 0
        return false if frequency == @frequency || (frequency == LEAST && @wanted < LEAST)
        @frequency = frequency
        @changes += 1
        true
      end
    end
  end
end
