# frozen_string_literal: true

require_relative "recording"

module Rperf
  # The session that the agent, or the recorder, reads: that of the program where one runs, else a
  # guest of its own, which nothing but readers keeps. It never ends a session that it did not
  # begin.
  class ContinuousSession
    # mode:, frequency:, slow:, timeline: as in Rperf.start; the frequency counts where the mode has
    # one
    # by: what begins it, a text for those who ask who did
    def initialize(mode:, frequency:, slow:, by:, timeline: false)
      @mode, @slow, @by, @timeline = mode, slow, by, timeline
      @frequency = frequency if Array(mode).intersect?(Options::Modes::TIMED)
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
      @reader = nil if profiles.nil? || ended?
      profiles
    end

    # Ends the reading, and the session if it was begun here.
    def close
      @reader&.close
      Recording.stop_guest if own?
      @own = @reader = nil
    end

    # Whether what it reads has ended: the program has begun a session of its own, say.
    def ended? = !@reader.nil? && (@reader.ended? || !Native.running?)

    # Whether there is something to read.
    def open? = !@reader.nil?

    # Hz, where the session was begun here. nil: the program's.
    def frequency = (@frequency if own?)

    # Where the session was begun here, one of this frequency begins.
    def frequency=(frequency)
      return unless @frequency
      @frequency = frequency
      return unless own?
      close
      open
    end

    private

    # Whether the session that was begun here still runs. It gives way to one of the program's.
    def own? = @own && Recording.guest.equal?(@own)

    def begin_own
      options = Options.from_keywords({mode: @mode, frequency: @frequency, slow: @slow, timeline: @timeline}.compact)
      Recording.start_guest(options, keeps: false, by: @by)
    end
  end
end
