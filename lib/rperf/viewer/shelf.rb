# frozen_string_literal: true

require_relative "../handler_lock"
require_relative "snapshot"

module Rperf
  class Viewer
    # The last snapshots, by number. It can be used by several threads at once.
    class Shelf
      DEFAULT_SIZE = 24

      # size: maximum number of snapshots. Raises ArgumentError.
      def initialize(size)
        unless size.is_a?(Integer) && size.positive?
          raise ArgumentError, "max_snapshots: must be a whole number, 1 or more, not #{Error.shown(size)}"
        end
        @size = size
        @last = 0
        @snapshots = {}
        @lock = HandlerLock.new
      end

      # Keeps the Native::Profile of a snapshot. Beyond the maximum number the oldest one is
      # removed. Returns the snapshot's number, from 1.
      def add(profile, title)
        content = Snapshot.content(profile)
        @lock.synchronize do
          @last += 1
          @snapshots[@last] = Snapshot.new(number: @last, title:, taken_at: Time.now, **content)
          @snapshots.shift while @snapshots.length > @size
          @last
        end
      end

      # Returns the snapshot of this number, or nil.
      def [](number) = @lock.synchronize { @snapshots[number] }

      # Returns all snapshots, the newest first.
      def to_a = @lock.synchronize { @snapshots.values }.reverse
    end
    private_constant :Shelf
  end
end
