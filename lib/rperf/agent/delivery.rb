# frozen_string_literal: true

require "securerandom"

module Rperf
  class Agent
    # A profile on its way to a destination.
    class Delivery
      # Seconds: stores refuse what is an hour old.
      TOO_OLD = 50 * 60

      # Whether a store would refuse what ended at this time, in nanoseconds since 1970.
      def self.too_old?(till) = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - till > TOO_OLD * 1_000_000_000

      attr_reader :profile, :id, :scale
      attr_reader :in_flight
      # What had to be made smaller when it was last sent, as words: see Counters#sent!.
      attr_accessor :losses

      def initialize(profile)
        @profile = profile
        @id = SecureRandom.uuid
        @scale = 1.0
        @losses = []
      end

      # The mode of the session.
      def mode = @profile.mode

      # When it ended, in nanoseconds since 1970.
      def till = @profile.start_time_ns + @profile.figures[:duration_ns]

      # About how many bytes of memory it takes.
      def size = @profile.memory_size

      # It is on its way while the block runs.
      def in_flight!
        @in_flight = true
        yield
      ensure
        @in_flight = false
      end

      # It was too large: half as much is sent.
      def halve = @scale /= 2
    end
  end
end
