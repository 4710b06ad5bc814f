# frozen_string_literal: true

module Rperf
  class Agent
    # Deliveries that wait for a destination, the oldest first. What does not fit any more makes the
    # oldest go.
    class Outbox
      # How many, and how many bytes of memory they may take together.
      MOST = 8
      LARGEST = 8 << 20

      # The block is called with each delivery that had to go.
      def initialize(&dropped)
        @dropped = dropped
        @lock = Thread::Mutex.new
        @changed = Thread::ConditionVariable.new
        @list = []
        @closed = false
      end

      # Adds one.
      def push(delivery)
        gone = @lock.synchronize do
          @list << delivery
          @changed.broadcast
          excess
        end
        gone.each { |old| @dropped.call(old) }
      end

      # The oldest one, which stays until it is removed; waits for it. nil where it is closed.
      def first
        @lock.synchronize do
          @changed.wait(@lock) until @closed || @list.any?
          @list.first
        end
      end

      # It is done with.
      def remove(delivery)
        @lock.synchronize do
          @list.delete(delivery)
          @changed.broadcast
        end
      end

      # Waits for so many seconds, or until it is closed. Whether it is still open.
      def pause(seconds) = !within?(seconds) { @closed }

      # Waits until all are gone, for so many seconds at most. Whether they are.
      def drained?(seconds) = within?(seconds) { @list.empty? }

      # How many there are.
      def length = @lock.synchronize { @list.length }

      # About how many bytes of memory they take.
      def size = @lock.synchronize { @list.sum(&:size) }

      # Nothing waits any more. Returns what was left.
      def close
        @lock.synchronize do
          @closed = true
          @changed.broadcast
          @list.slice!(0..)
        end
      end

      private

      # Waits until the block says that it is so, for so many seconds at most. Whether it is.
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

      # What is being sent may have arrived already: it stays.
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
