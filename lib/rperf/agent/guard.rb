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

      attr_reader :frequency, :changes

      # most: the part of a processor that profiling may take, from 0 to 1
      def initialize(frequency, most:)
        @wanted = @frequency = frequency
        @most = most
        @bad = @good = @changes = 0
      end

      # A period is over. used: what profiling took; lasted: how long it was, in the same unit.
      # Returns whether the frequency has changed.
      def period(used:, lasted:)
        is_bad = used > lasted * @most
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
