# frozen_string_literal: true

require_relative "../segments"

module Rperf
  module Recorder
    # The profiles of the last seconds: segments that follow each other, the oldest first. A segment
    # has a Native::Profile for each mode.
    class Window
      # Maximum bytes of memory of all segments. Beyond it the oldest segments are given up.
      LIMIT = 12 << 20

      # kept: Native::KeptProfiles; till: its end, in seconds; duration: in nanoseconds
      Segment = Data.define(:kept, :till, :duration, :bytes) do
        # The Native::Profile of each mode.
        def profiles = kept.profiles
      end
      private_constant :Segment

      # Number of segments that were given up before their time.
      attr_reader :given_up

      # seconds: minimum time that the window reaches back
      def initialize(seconds, limit: LIMIT)
        @seconds, @limit = seconds, limit
        @given_up = 0
        @segments = []
      end

      # Adds a segment: profiles that were recorded until `now` (in seconds).
      def add(profiles, now)
        kept = Native::KeptProfiles.new(profiles)
        @segments << Segment.new(kept, now, profiles.first.figures[:duration_ns], kept.memory_size)
        drop_oldest while @segments.first.till <= now - @seconds
        while bytes > @limit
          drop_oldest
          @given_up += 1
        end
      end

      # Returns all of the window, or whole segments of the last `seconds`, as a Native::Profile of
      # each mode; nil where there is none.
      def profiles(now, seconds = @seconds)
        Segments.join(@segments.select { |segment| segment.till > now - seconds }.map(&:profiles))
      end

      # Returns all of the window, with a mark (see Segments.join). Profiles of segments that end
      # after the moment `since` are replaced by the block's values for them.
      def recording(mark, since)
        Segments.join(@segments.map { |segment| segment.till > since ? segment.profiles.map { |profile| yield profile } : segment.profiles }, mark)
      end

      # Removes all segments, since another session begins.
      def clear
        @segments.each { |segment| segment.kept.release }
        @segments = []
      end

      # Length of the window, in seconds.
      def seconds = @segments.sum(&:duration) / 1e9

      # Approximate bytes of memory of all segments.
      def bytes = @segments.sum(&:bytes)

      private

      def drop_oldest = @segments.shift.kept.release
    end
  end
end
