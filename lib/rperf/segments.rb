# frozen_string_literal: true

require_relative "native"

module Rperf
  # The unread samples of one reader of a session: segments, each an Array of Native::Profile, one
  # for each mode of the session.
  class Segments
    # Maximum number of separate segments: those of an agent's minute beside a recorder, whose
    # window has the same ones. If there are more, they are joined, and share their frames.
    APART = 12
    # Part of the limit that is free after segments were joined at the limit: the next ones are not
    # joined at once again, which takes the longer the more is kept.
    SPARE = 0.25

    # limit: maximum bytes of memory of all segments together; nil: unlimited
    def initialize(limit: nil)
      @limit = limit
      @list = []
    end

    # Adds the profiles recorded since the last segment. Beyond the limit the earlier segments are
    # joined; if they are still too large they are given up: their samples count as lost.
    def add(profiles)
      @list << keep(profiles)
      most = fits?(@limit) ? @limit : @limit * (1 - SPARE)
      join_earlier if @list.length > APART || most != @limit
      @list.each_index { |oldest| fits?(most) ? break : give_up(oldest) }
    end

    # Returns all segments and `last`, the profiles since the last segment, joined into one; nil if
    # there are none.
    def join(last = nil) = Segments.join([*@list.map(&:profiles), last].compact)

    # Joins segments into one; returns nil if there are none. mark: nil, or the comment of the
    # result, and the key and the text of a label for its samples.
    def self.join(segments, mark = nil)
      segments.length > 1 || (mark && segments.any?) ? Native::Profile.join(segments, mark) : segments.first
    end

    # Returns the same as `join`, and forgets the segments: they have been read.
    def take(last = nil) = join(last).tap { release }

    # Forgets the segments and frees their memory at once.
    def release = replace([])

    private

    def keep(profiles) = Native::KeptProfiles.new(profiles)

    def replace(segments)
      kept, @list = @list, segments.map { |profiles| keep(profiles) }
      kept.each(&:release)
    end

    def join_earlier
      *earlier, last = @list.map(&:profiles)
      replace([Segments.join(earlier), last]) if earlier.length > 1
    end

    def give_up(index)
      kept = @list[index]
      @list[index] = keep(kept.profiles.map(&:given_up))
      kept.release
    end

    def fits?(most) = most.nil? || @list.sum(&:memory_size) <= most
  end
end
