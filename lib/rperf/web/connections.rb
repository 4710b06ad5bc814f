# frozen_string_literal: true

require_relative "connection"

module Rperf
  module Web
    # The open connections, each with a thread. Their number is limited: one more ends the oldest,
    # so that programs which connect and say nothing cannot keep others out.
    class Connections
      # threads: an object whose `call` starts a thread that runs a block
      def initialize(limits, threads: Thread.method(:new))
        @limits = limits
        @start = threads
        @threads = {}
        @mutex = Mutex.new
      end

      # Serves the socket in a thread; the block gives the answer to a request.
      def add(socket, &answer)
        connection = Connection.new(socket, @limits)
        @mutex.synchronize do
          abort_oldest if @threads.length >= @limits.connections
          @threads[connection] = @start.call { serve(connection, &answer) }
        end
      end

      # Ends all connections.
      def close_all
        threads = @mutex.synchronize { @threads.dup }
        threads.each_key(&:abort)
        threads.each_value(&:join)
      end

      # In a forked child: closes the descriptors, which have no threads there.
      def abandon = @threads.each_key(&:abandon)

      private

      def serve(connection, &)
        connection.serve(&)
      ensure
        @mutex.synchronize { @threads.delete(connection) }
      end

      # Aborts the oldest connection, whose thread then ends by itself.
      def abort_oldest
        connection, = @threads.shift
        connection.abort
      end
    end
  end
end
