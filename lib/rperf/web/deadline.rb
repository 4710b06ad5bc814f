# frozen_string_literal: true

module Rperf
  module Web
    # A moment after which no thread waits for a socket any longer.
    class Deadline
      # Raised when the moment has passed.
      class Passed < StandardError; end

      def initialize(seconds)
        @at = now + seconds
      end

      # Returns when the socket can be read; raises Passed.
      def await_readable(socket) = await { |left| socket.wait_readable(left) }

      # Returns when the socket can be written to; raises Passed.
      def await_writable(socket) = await { |left| socket.wait_writable(left) }

      private

      def await
        left = @at - now
        raise Passed unless left.positive? && yield(left)
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
