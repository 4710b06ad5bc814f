# frozen_string_literal: true

module Rperf
  class Agent
    # Deliveries that wait for a destination, the oldest first. The oldest are dropped when a new
    # one does not fit any more.
    class Outbox
      # Maximum number of deliveries, and maximum bytes of memory that they take together.
      MOST = 8
      LARGEST = 8 << 20

      # The block is called with each delivery that was dropped.
      def initialize(&dropped)
        @dropped = dropped
        @lock = Thread::Mutex.new
        @changed = Thread::ConditionVariable.new
        @list = []
        @closed = false
      end

      # Adds a delivery.
      def push(delivery)
        gone = @lock.synchronize do
          @list << delivery
          @changed.broadcast
          excess
        end
        gone.each { |old| @dropped.call(old) }
      end

      # Waits for the oldest delivery, which stays until it is removed. Returns nil when closed.
      def first
        @lock.synchronize do
          @changed.wait(@lock) until @closed || @list.any?
          @list.first
        end
      end

      # Removes a delivery.
      def remove(delivery)
        @lock.synchronize do
          @list.delete(delivery)
          @changed.broadcast
        end
      end

      # Waits for `seconds`, or until the outbox is closed. Returns whether it is still open.
      def pause(seconds) = !within?(seconds) { @closed }

      # Waits until the outbox is empty, for at most `seconds`. Returns whether it is.
      def drained?(seconds) = within?(seconds) { @list.empty? }

      # Number of deliveries that wait. (Without the lock, which a signal handler may not take.)
      def length = @list.length

      # Approximate bytes of memory that the deliveries take.
      def size = @list.sum(&:size)

      # Closes the outbox. Returns the deliveries that were left.
      def close
        @lock.synchronize do
          @closed = true
          @changed.broadcast
          @list.slice!(0..)
        end
      end

      private

      # Waits until the block returns true, for at most `seconds`. Returns whether it did.
      def within?(seconds)
        till = now + seconds
        @lock.synchronize do
          until (is_so = yield) || (left = till - now) <= 0
            @changed.wait(@lock, left)
          end
          is_so
        end
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # Removes the oldest beyond the limits. A delivery in flight may have arrived, and stays.
      def excess
        gone = []
        while @list.length > MOST || @list.sum(&:size) > LARGEST
          oldest = @list[0...-1].find { |delivery| !delivery.in_flight } or break
          gone << @list.delete(oldest)
        end
        gone
      end
    end
  end
end
