# frozen_string_literal: true

require "securerandom"
require_relative "../native"

module Rperf
  class Agent
    # A profile on its way to a destination.
    class Delivery
      # Seconds: stores refuse what is an hour old.
      TOO_OLD = 50 * 60

      # Whether a store would refuse what ended at this time, in nanoseconds since 1970.
      def self.too_old?(till) = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - till > TOO_OLD * 1_000_000_000

      # mode: that of the session; till: when the profile ended, in nanoseconds since 1970; size:
      # about how many bytes of memory it takes
      attr_reader :id, :mode, :till, :size, :scale
      attr_reader :in_flight
      # What had to be made smaller when it was last sent, as words: see Counters#sent!.
      attr_accessor :losses

      def initialize(profile)
        @kept = Native::KeptProfiles.new([profile])
        @mode, @size = profile.mode, profile.memory_size
        @till = profile.start_time_ns + profile.figures[:duration_ns]
        @id = SecureRandom.uuid
        @scale = 1.0
        @losses = []
      end

      # The Native::Profile; nil once it is released.
      def profile = @kept.profiles.first

      # It is done with.
      def release = @kept.release

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
