# frozen_string_literal: true

require_relative "options"
require_relative "recording"

module Rperf
  # The session that the agent, or the recorder, reads: the program's if one runs, otherwise a guest
  # that it begins, whose samples are kept for readers only. It never ends a session that it did not
  # begin.
  class ContinuousSession
    # mode:, frequency:, interval:, slow:, timeline: as in Rperf.start; the frequency counts only in
    #   modes of time
    # by: the name of the part that begins the session, a text for status requests
    def initialize(mode:, frequency:, slow:, by:, interval: nil, timeline: false)
      @mode, @interval, @slow, @by, @timeline = mode, interval, slow, by, timeline
      @frequency = frequency if Array(mode).intersect?(Options::Modes::TIMED)
    end

    # Begins to read. Returns whether a session is read. If not, a session of another owner prevents
    # it, which may end later.
    def open
      begin_own unless Native.running?
      @reader = Reader.open
      @problem = nil
      true
    rescue Error => error
      @problem = error.message
      close
      false
    end

    # Returns why there is no session to read, or nil.
    def problem = (@problem unless @reader)

    # Returns the profiles since the last call, one for each mode; nil if the session has ended.
    def take
      profiles = @reader&.take
      @reader = nil if profiles.nil? || ended?
      profiles
    end

    # Ends the reading, and the session if it was begun here.
    def close
      @reader&.close
      Recording.stop_guest if own?
      @own = @reader = nil
    end

    # Returns whether the session has ended: the program has begun one of its own, for example.
    def ended? = !@reader.nil? && (@reader.ended? || !Native.running?)

    # Returns whether a session is read.
    def open? = !@reader.nil?

    # Returns the frequency in Hz of a session that was begun here; nil for the program's.
    def frequency = (@frequency if own?)

    # Changes the frequency of the session that was begun here, and of those that are begun later.
    def frequency=(frequency)
      return unless @frequency
      @frequency = frequency
      @own&.frequency = frequency
    end

    private

    # Returns whether the session begun here still runs. It gives way to one of the program's.
    def own? = @own && Recording.guest.equal?(@own)

    def begin_own
      options = Options.from_keywords({mode: @mode, frequency: @frequency, interval: @interval, slow: @slow, timeline: @timeline}.compact)
      @own = Recording.start_guest(options, keeps: false, by: @by)
    rescue Error
      raise unless Native.running? # Another part, or the program, has just begun one.
    end
  end
end
