# frozen_string_literal: true

require "socket"
require_relative "../own_thread"
require_relative "../web/server"
require_relative "router"

module Rperf
  module Control
    # A place where requests come in: a thread that accepts connections at a listening socket.
    #
    # A subclass says where it listens (`listen`), and which requests are refused (`check`).
    class Door
      THREADS = ->(&block) { OwnThread.start("rperf control", &block) }
      private_constant :THREADS

      # Opens the door. Raises Rperf::Error; then nothing of it is left.
      def open
        bind
        @thread = THREADS.call { serve }
      rescue Error
        withdraw
        abandon
        raise
      end

      # Closes the door. Requests that are being answered end without an answer.
      def close
        return unless @server
        @closed = true
        @server.stop
        @thread.join
      end

      # In a forked child: leaves the door to its parent.
      def abandon = @server&.abandon

      private

      def bind
        @listener = listen
        @server = Web::Server.new(@listener, threads: THREADS) { |request, socket| answer(request, socket) }
      rescue SystemCallError => error
        @listener.close
        raise Error, "cannot listen at #{address}: #{Error.reason(error)}"
      end

      # Serves until the door is closed. A program that becomes a daemon may close all that is open
      # in its process: then the door opens again.
      def serve
        until @closed
          run
          bind unless @closed
        end
      rescue Error => error
        Error.complain "process #{Process.pid} cannot be controlled any more: #{error.message}"
      end

      def run
        @server.run
      rescue IOError, SystemCallError
        nil # What it waited for has been closed.
      end

      # Answers a request. No error may reach the program, whatever it has set for its threads.
      def answer(request, socket)
        check(request, socket)
        router.call(request) { |seconds| pause(socket, seconds) }
      rescue Web::Refusal, IOError, SystemCallError
        raise
      rescue StandardError, ScriptError => error
        Web::Response.sentence(500, "rperf could not answer: #{error.class}")
      end

      # Returns after `seconds`. Raises EOFError when the other side has closed the connection.
      def pause(socket, seconds)
        deadline = Web::Deadline.new(seconds)
        loop do
          deadline.await_readable(socket)
          raise EOFError unless socket.read_nonblock(Web::Request::CHUNK, exception: false)
        end
      rescue Web::Deadline::Passed
        nil
      end
    end
  end
end
