# frozen_string_literal: true

require_relative "../recording"
require_relative "guard"

module Rperf
  class Agent
    # The session that the agent reads: that of the program where one runs, else a guest of its own,
    # which nothing but readers keeps. It never ends a session that it did not begin.
    class Session
      def initialize(settings)
        @settings = settings
        @guard = Guard.new(settings[:frequency], most: settings[:max_overhead])
      end

      # Begins to read. Whether there is something to read: a session that cannot be read, or be
      # begun, is another's, and may end.
      def open
        @own = begin_own unless Native.running?
        @reader = Reader.open
        true
      rescue Error => error
        @problem = error.message
        close
        false
      end

      # Why there is nothing to read, or nil.
      def problem = (@problem unless @reader)

      # The profiles since the last time, one for each mode; nil where the session has ended.
      def take
        profiles = @reader&.take
        @reader = nil unless profiles && Native.running?
        profiles
      end

      # Ends the reading, and the session if it is the agent's.
      def close
        @reader&.close
        Recording.stop_guest if @own && Recording.guest.equal?(@own)
        @own = @reader = nil
      end

      # Whether there is something to read.
      def open? = !@reader.nil?

      # Hz; less than was asked for where profiling takes too much. nil: the program's.
      def frequency = (@guard.frequency if @own)

      # How often it was changed.
      def frequency_changes = @guard.changes

      # A period is over: see Guard#period. Where the frequency changes, a session of that frequency
      # begins.
      def account(used:, lasted:)
        return unless @guard.period(used:, lasted:) && @own
        close
        open
      end

      private

      def begin_own
        options = Options.from_keywords({mode: @settings[:mode], frequency: @guard.frequency, slow: @settings[:slow]}.compact)
        Recording.start_guest(options, keeps: false)
      end
    end
  end
end
