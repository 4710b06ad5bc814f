# frozen_string_literal: true

require "securerandom"
require_relative "../native"

module Rperf
  class Agent
    # A profile on its way to a destination.
    class Delivery
      # Age at which a profile is too old, in seconds. Stores refuse profiles that are an hour old.
      TOO_OLD = 50 * 60

      # Whether a store would refuse a profile that ended at this time, in nanoseconds since 1970.
      def self.too_old?(till) = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - till > TOO_OLD * 1_000_000_000

      # mode: that of the session; till: the end of the profile, in nanoseconds since 1970; size:
      # bytes of memory, approximately; scale: the part of what was first sent to send now;
      # limits: those of the next attempt, if it must be smaller than the last one; otherwise nil
      attr_reader :id, :mode, :till, :size, :scale, :limits
      attr_reader :in_flight
      # Names of the parts that were lost when it was last sent: see Counters#sent!.
      attr_accessor :losses
      # Samples and bytes that were last sent: [samples, bytes].
      attr_accessor :sent_size
      # Number of attempts that have failed by an error of the server.
      attr_accessor :repeats

      def initialize(profile)
        @kept = Native::KeptProfiles.new([profile])
        @mode, @size = profile.mode, profile.memory_size
        @till = profile.start_time_ns + profile.figures[:duration_ns]
        @id = SecureRandom.uuid
        @scale = 1.0
        @repeats = 0
        @losses = []
      end

      # Returns the Native::Profile; nil once it is released.
      def profile = @kept.profiles.first

      # Frees the memory of the profile.
      def release = @kept.release

      # Marks the delivery as on its way while the block runs.
      def in_flight!
        @in_flight = true
        yield
      ensure
        @in_flight = false
      end

      # Halves what is sent at the next attempt, since the last one was too large.
      def halve
        @scale /= 2
        @limits = %i[samples bytes].zip(@sent_size.map { |number| [number / 2, 1].max }).to_h if @sent_size
      end
    end
  end
end
