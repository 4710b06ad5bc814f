# frozen_string_literal: true

module Rperf
  class Agent
    # Lowers the frequency where sampling takes too much of the processor, and raises it again.
    # What hooks take does not count: they are called as often at any frequency, and in a busy
    # server take more than all the rest.
    class Guard
      # Hz: it is not lowered below.
      LEAST = 10
      # Periods in a row that are too expensive before it is halved, and good ones before it is
      # doubled.
      BAD = 2
      GOOD = 10
      # Nanoseconds: shorter periods are judged together. To make one profile and send it may take
      # 1 % of a second.
      SPAN = 10_000_000_000

      attr_reader :frequency, :changes

      # most: the part of a processor that sampling may take, from 0 to 1
      def initialize(frequency, most:)
        @wanted = @frequency = frequency
        @most = most
        @bad = @good = @changes = @used = @lasted = 0
      end

      # Whether it is lower than it was asked for.
      def lowered? = @frequency < @wanted

      # A period with these figures of its profile is over. own: nanoseconds of a processor that the
      # agent's threads took meanwhile. Returns whether the frequency has changed.
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
