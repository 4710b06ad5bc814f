# frozen_string_literal: true

require_relative "../errors"
require_relative "connections"
require_relative "limits"

module Rperf
  module Web
    # Accepts connections at a listening socket, and answers the request of each.
    class Server
      # Errors when no descriptors, memory or threads are left: another attempt would fail at once.
      EXHAUSTED = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM, ThreadError, Error].freeze
      # Seconds until the next attempt after such an error.
      PAUSE = 0.5

      # The block gives the Response to a Request that came by a socket; it may raise Refusal.
      # threads: an object whose `call` starts a thread that runs a block
      def initialize(listener, limits: Limits.new, threads: Thread.method(:new), &answer)
        @listener = listener
        @answer = answer
        @stopped, @stop = IO.pipe
        @connections = Connections.new(limits, threads:)
      end

      # Serves until `stop` is called.
      def run
        loop do
          ready, = IO.select([@listener, @stopped])
          break if ready.include?(@stopped)
          accept
        end
      ensure
        close
        @connections.close_all
      end

      # Ends `run`; may be called in a signal handler, and more than once.
      def stop
        @stop.write_nonblock(".", exception: false)
      rescue IOError, Errno::EPIPE
        nil # It has ended, or is about to.
      end

      # In a forked child: closes the descriptors. The threads do not exist there.
      def abandon
        close
        @connections.abandon
      end

      private

      def close = [@listener, @stopped, @stop].each(&:close)

      def accept
        socket = @listener.accept_nonblock(exception: false)
        return if socket == :wait_readable
        @connections.add(socket) { |request| @answer.call(request, socket) }
      rescue *EXHAUSTED
        socket&.close
        @stopped.wait_readable(PAUSE)
      rescue SystemCallError
        nil # The other side gave up before it was accepted.
      end
    end
  end
end
