# frozen_string_literal: true

require "json"
require "socket"
require "uri"
require_relative "../errors"
require_relative "../web/deadline"
require_relative "socket_directory"

module Rperf
  module Control
    # Asks a process through its control socket.
    class Client
      # Maximum time for an answer that needs no waiting, in seconds.
      PROMPT = 10
      # Maximum bytes of one read.
      CHUNK = 1 << 16
      HEAD = /\AHTTP\/1\.1 (\d{3}) .*?\r\n\r\n/m
      LENGTH = /^content-length: (\d+)\r$/

      class << self
        # Returns the clients of all processes of this user that listen, sorted by pid. Removes the
        # sockets of processes that have ended.
        def all
          paths = SocketDirectory.all.flat_map { |directory| SocketDirectory.sockets(directory) }
          paths.map { |path| new(path) }.select(&:listens?).sort_by(&:pid)
        end

        # Returns the client of a process. Raises Rperf::Error when the process cannot be asked.
        def of(pid)
          uid = owner(pid)
          check_owner(pid, uid)
          users = [uid, Process.euid].uniq # A process that has given up root's rights listens in root's directory.
          paths = users.flat_map { |user| SocketDirectory.all(user) }.map { |directory| SocketDirectory.socket(directory, pid) }
          found = paths.map { |path| new(path) }.find(&:listens?)
          found or raise Error, "process #{pid} has no control socket: load rperf in it, and call Rperf::Control.start or set RPERF_CONTROL=1"
        end

        private

        def owner(pid)
          return Process.euid unless File.directory?("/proc/self")
          File.stat("/proc/#{pid}").uid
        rescue SystemCallError
          raise Error, "there is no process #{pid}: 'rperf ps' lists those that can be controlled"
        end

        def check_owner(pid, uid)
          return if [uid, 0].include?(Process.euid)
          raise Error, "process #{pid} belongs to another user, who alone may control it: run rperf as that user"
        end
      end

      # The pid of the process.
      attr_reader :pid

      def initialize(path)
        @path = path
        @pid = File.basename(path).to_i
      end

      # Whether the process listens. Removes the socket of a process that has ended.
      def listens?
        UNIXSocket.new(@path).close
        true
      rescue Errno::ECONNREFUSED
        remove
        false
      rescue SystemCallError, ArgumentError # The system takes no socket with so long a path.
        false
      end

      # Returns the status of the process, a Hash. Raises Rperf::Error.
      def status(within: PROMPT) = JSON.parse(request("GET", "/status", within:), symbolize_names: true)

      # Returns the body of the answer. Raises Rperf::Error with the process's own sentence where
      # the process refuses, and when it has not answered within `within` seconds. accept: the media
      # type to ask for
      def request(method, path, parameters = {}, within: PROMPT, accept: "*/*")
        target = parameters.empty? ? path : "#{path}?#{URI.encode_www_form(parameters)}"
        UNIXSocket.open(@path) do |socket|
          socket.write("#{method} #{target} HTTP/1.1\r\nHost: localhost\r\nAccept: #{accept}\r\n\r\n")
          body_of(read(socket, Web::Deadline.new(within)))
        end
      rescue Web::Deadline::Passed
        raise Error, "process #{pid} does not answer: it may be stopped, or busy in native code"
      rescue SystemCallError, EOFError
        raise Error, "process #{pid} has ended, or has closed its control socket, before its answer was complete"
      end

      private

      def remove
        File.unlink(@path)
      rescue SystemCallError
        nil # Another rperf was faster.
      end

      # Reads the whole answer, whose length says where it ends. A process that forks meanwhile
      # leaves the other end to its child, where it is never closed.
      def read(socket, deadline)
        answer = String.new
        until (length = whole(answer)) && answer.bytesize >= length
          case (chunk = socket.read_nonblock(CHUNK, exception: false))
          when :wait_readable then deadline.await_readable(socket)
          when nil then raise EOFError
          else answer << chunk
          end
        end
        answer
      end

      # Number of bytes of the answer, once its head is there; else nil.
      def whole(answer)
        head = answer[HEAD] or return
        head.bytesize + head[LENGTH, 1].to_i
      end

      def body_of(answer)
        head = answer[HEAD]
        body = answer.byteslice(head.bytesize..)
        return body if head[HEAD, 1] == "200"
        raise Error, "process #{pid} refuses: #{UTF8.of_bytes(body).chomp}"
      end
    end
  end
end
