# frozen_string_literal: true

require_relative "../segments"

module Rperf
  module Recorder
    # What was recorded in the last seconds: segments that follow each other, the oldest first. A
    # segment has a Native::Profile for each mode.
    class Window
      # Bytes of memory that they may take together. Beyond it the oldest are given up.
      LIMIT = 12 << 20

      # kept: Native::KeptProfiles; till: seconds; duration: nanoseconds
      Segment = Data.define(:kept, :till, :duration, :bytes) do
        # A Native::Profile of each mode.
        def profiles = kept.profiles
      end
      private_constant :Segment

      # How many segments were given up before their time.
      attr_reader :given_up

      # seconds: how far it reaches back, at least
      def initialize(seconds, limit: LIMIT)
        @seconds, @limit = seconds, limit
        @given_up = 0
        @segments = []
      end

      # Adds what was recorded until now (in seconds).
      def add(profiles, now)
        kept = Native::KeptProfiles.new(profiles)
        @segments << Segment.new(kept, now, profiles.first.figures[:duration_ns], kept.memory_size)
        drop_oldest while @segments.first.till <= now - @seconds
        while bytes > @limit
          drop_oldest
          @given_up += 1
        end
      end

      # All of it, or what was recorded in the last seconds, whole segments: a Native::Profile of
      # each mode; nil where there is none.
      def profiles(now, seconds = @seconds)
        Segments.join(@segments.select { |segment| segment.till > now - seconds }.map(&:profiles))
      end

      # All of it, with a mark (see Segments.join), and with what the block makes of the profiles of
      # segments that end after a moment.
      def recording(mark, since)
        Segments.join(@segments.map { |segment| segment.till > since ? segment.profiles.map { |profile| yield profile } : segment.profiles }, mark)
      end

      # Another session begins.
      def clear
        @segments.each { |segment| segment.kept.release }
        @segments = []
      end

      # How much of it there is.
      def seconds = @segments.sum(&:duration) / 1e9

      # About how many bytes of memory they take.
      def bytes = @segments.sum(&:bytes)

      private

      def drop_oldest = @segments.shift.kept.release
    end
  end
end
