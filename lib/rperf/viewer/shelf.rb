# frozen_string_literal: true

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
        @mutex = Mutex.new
      end

      # Keeps the Native::Profile of a snapshot. Beyond the maximum number the oldest one is
      # removed. Returns the snapshot's number, from 1.
      def add(profile, title)
        content = Snapshot.content(profile)
        alone do
          @last += 1
          @snapshots[@last] = Snapshot.new(number: @last, title:, taken_at: Time.now, **content)
          @snapshots.shift while @snapshots.length > @size
          @last
        end
      end

      # Returns the snapshot of this number, or nil.
      def [](number) = alone { @snapshots[number] }

      # Returns all snapshots, the newest first.
      def to_a = alone { @snapshots.values }.reverse

      private

      # Runs one block at a time. A signal handler may not take a lock: it goes on without the lock.
      def alone
        entered = false
        @mutex.synchronize { entered = true; yield }
      rescue ThreadError
        raise if entered
        yield
      end
    end
    private_constant :Shelf
  end
end
