# frozen_string_literal: true

require_relative "native"

module Rperf
  # What one reader of a session has not read yet: segments, each an Array of Native::Profile, one
  # for each mode of the session.
  class Segments
    # Segments that are kept apart: those of an agent's minute beside a recorder, whose window has
    # the same ones. More are joined: they share their frames, then.
    APART = 12

    # limit: bytes of memory that they may take together; nil: any
    def initialize(limit: nil)
      @limit = limit
      @list = []
    end

    # Adds what was recorded since the last one. Beyond the limit the oldest are given up: their
    # samples count as lost.
    def add(profiles)
      @list << keep(profiles)
      replace([join]) if @list.length > APART
      @list.each_index { |oldest| fits? ? break : give_up(oldest) }
    end

    # All of them as one, and what is still there of the time since the last of them; nil where
    # there is none.
    def join(last = nil) = Segments.join([*@list.map(&:profiles), last].compact)

    # Segments as one; nil where there is none. mark: nil, or the comment, and the key and the text
    # of the label, that the result gets.
    def self.join(segments, mark = nil)
      segments.length > 1 || (mark && segments.any?) ? Native::Profile.join(segments, mark) : segments.first
    end

    # The same; they are read, then.
    def take(last = nil) = join(last).tap { release }

    # They need not be read any more; their memory is free at once.
    def release = replace([])

    private

    def keep(profiles) = Native::KeptProfiles.new(profiles)

    def replace(segments)
      kept, @list = @list, segments.map { |profiles| keep(profiles) }
      kept.each(&:release)
    end

    def give_up(index)
      kept = @list[index]
      @list[index] = keep(kept.profiles.map(&:given_up))
      kept.release
    end

    def fits? = @limit.nil? || @list.sum(&:memory_size) <= @limit
  end
end
