# frozen_string_literal: true

require_relative "../segments"

module Rperf
  module Recorder
    # What was recorded in the last seconds: segments that follow each other, the oldest first. A
    # segment is an Array of Native::Profile, one for each mode.
    class Window
      # Bytes of memory that they may take together. Beyond it the oldest are given up.
      LIMIT = 16 << 20

      Segment = Data.define(:profiles, :till, :bytes) do
        # Nanoseconds.
        def duration = profiles.first.figures[:duration_ns]
      end
      private_constant :Segment

      # How many segments were given up before their time.
      attr_reader :given_up

      # seconds: how far it reaches back, at least
      def initialize(seconds, limit: LIMIT)
        @seconds, @limit = seconds, limit
        @given_up = 0
        clear
      end

      # Adds what was recorded until now (in seconds). Joined, profiles have no labels but those of
      # their samples: of a server, most units of work have none.
      def add(profiles, now)
        profiles = Native::Profile.join([profiles])
        @segments << Segment.new(profiles, now, profiles.sum(&:memory_size))
        @segments.shift while @segments.first.till <= now - @seconds
        while bytes > @limit
          @segments.shift
          @given_up += 1
        end
      end

      # All of it, or what was recorded in the last seconds, whole segments: a Native::Profile of
      # each mode; nil where there is none.
      def profiles(now, seconds = @seconds)
        Segments.join(@segments.select { |segment| segment.till > now - seconds }.map(&:profiles))
      end

      # The same of all, with what the block makes of the profiles of segments that end after a
      # moment.
      def mark(since)
        Segments.join(@segments.map { |segment| segment.till > since ? segment.profiles.map { |profile| yield profile } : segment.profiles })
      end

      # Another session begins.
      def clear = @segments = []

      # How much of it there is.
      def seconds = @segments.sum(&:duration) / 1e9

      # About how many bytes of memory they take.
      def bytes = @segments.sum(&:bytes)
    end
  end
end
