# frozen_string_literal: true

module Rperf
  class Agent
    # Lowers the frequency where profiling takes too much of the processor, and raises it again.
    class Guard
      # Hz: it is not lowered below.
      LEAST = 10
      # Periods in a row that are too expensive before it is halved, and good ones before it is
      # doubled.
      BAD = 2
      GOOD = 10
      # Nanoseconds: shorter periods are judged together. What hooks take is an estimate of one call
      # in 64, which may be 13 ms off where there are few.
      SPAN = 10_000_000_000

      attr_reader :frequency, :changes

      # most: the part of a processor that profiling may take, from 0 to 1
      def initialize(frequency, most:)
        @wanted = @frequency = frequency
        @most = most
        @bad = @good = @changes = @used = @lasted = 0
      end

      # Whether it is lower than it was asked for.
      def lowered? = @frequency < @wanted

      # A period is over. used: what profiling took; lasted: how long it was, both in nanoseconds.
      # Returns whether the frequency has changed.
      def period(used:, lasted:)
        @used += used
        @lasted += lasted
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
