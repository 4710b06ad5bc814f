# frozen_string_literal: true

require_relative "snapshot"

module Rperf
  class Viewer
    # The last snapshots, by number. Threads may use it at the same time.
    class Shelf
      DEFAULT_SIZE = 24

      # size: how many are kept. Raises ArgumentError.
      def initialize(size)
        unless size.is_a?(Integer) && size.positive?
          raise ArgumentError, "max_snapshots: must be a whole number, 1 or more, not #{size.inspect}"
        end
        @size = size
        @last = 0
        @snapshots = {}
        @mutex = Mutex.new
      end

      # Keeps the Native::Profile of a snapshot; the oldest goes when there are too many. Returns
      # its number, from 1.
      def add(profile, title)
        content = Snapshot.content(profile)
        @mutex.synchronize do
          @last += 1
          @snapshots[@last] = Snapshot.new(number: @last, title:, taken_at: Time.now, **content)
          @snapshots.shift while @snapshots.length > @size
          @last
        end
      end

      # The snapshot of this number, or nil.
      def [](number) = @mutex.synchronize { @snapshots[number] }

      # All of them, the newest first.
      def to_a = @mutex.synchronize { @snapshots.values }.reverse
    end
    private_constant :Shelf
  end
end
