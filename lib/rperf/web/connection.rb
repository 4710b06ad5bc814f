# frozen_string_literal: true

require_relative "deadline"
require_relative "request"

module Rperf
  module Web
    # One connection of a browser: one request, one answer. Each wait has a limit.
    class Connection
      # Maximum bytes of one write.
      PIECE = 1 << 16

      def initialize(socket, limits)
        @socket = socket
        @limits = limits
      end

      # Answers the Request with the block's Response, and closes the connection.
      def serve(&)
        answer(&)
        await_close
      rescue IOError, SystemCallError, Deadline::Passed
        nil # The other side has gone, or does not go on.
      ensure
        @socket.close
      end

      # Makes `serve` end soon; any thread may call it. Only `serve` closes the socket: the
      # descriptor's number could be used again while `serve` still uses it.
      def abort
        @socket.shutdown
      rescue IOError, SystemCallError
        nil # It is at its end already.
      end

      # In a forked child: closes its copy, since its parent goes on with the connection.
      def abandon = @socket.close

      private

      def answer
        request = Request.read(@socket, Deadline.new(@limits.request_time))
        send_response(yield(request), request)
      rescue Refusal => refusal
        send_response(refusal.response, request)
      end

      # Sends a response. An answer to HEAD has no body. There is no request if it was unreadable.
      def send_response(response, request)
        write(response.head)
        write(response.body) unless request&.head?
      end

      # Writes the bytes. A slow reader may go on as long as it reads at all.
      def write(bytes)
        written = 0
        while written < bytes.bytesize
          count = @socket.write_nonblock(bytes.byteslice(written, PIECE), exception: false)
          next Deadline.new(@limits.answer_time).await_writable(@socket) if count == :wait_writable
          written += count
        end
      end

      # Waits until the other side closes. Closing while unread bytes are left resets the
      # connection, and the other side may lose the answer.
      def await_close
        @socket.close_write
        deadline = Deadline.new(@limits.close_time)
        loop do
          case @socket.read_nonblock(PIECE, exception: false)
          when :wait_readable then deadline.await_readable(@socket)
          when nil then return
          end
        end
      end
    end
  end
end
