# frozen_string_literal: true

require_relative "door"
require_relative "socket_directory"

module Rperf
  module Control
    # A Unix socket for processes of the same user, and of root.
    class UnixDoor < Door
      TERMS = Terms.new(most_seconds: 600, waits: true, commands: true)
      private_constant :TERMS

      # The path of the socket of a process.
      def self.path(directory, pid) = File.join(directory, "#{pid}.sock")

      # Where it is.
      attr_reader :address

      # The socket goes.
      def withdraw
        File.unlink(@address) if @address
      rescue SystemCallError
        nil # It has gone, or this process has become another user's.
      end

      private

      def router = @router ||= Router.new(TERMS)

      def listen
        path = UnixDoor.path(SocketDirectory.ensure, Process.pid)
        remove_stale(path)
        UNIXServer.new(path).tap do
          @address = path
          File.chmod(0o600, path) # No other user comes into the directory.
        end
      rescue SystemCallError, ArgumentError => error
        raise Error, "cannot listen at '#{path}': #{Error.reason(error)}"
      end

      # A process of this number has ended without removing it, or has become this program by exec.
      def remove_stale(path)
        UNIXSocket.new(path).close
        raise Error, "another process listens at '#{path}' already"
      rescue Errno::ENOENT
        nil
      rescue Errno::ECONNREFUSED
        File.unlink(path)
      end

      # The system says who has connected, whatever the permissions of the file have become.
      def check(_request, socket)
        uid, = socket.getpeereid
        return if [Process.euid, 0].include?(uid)
        raise Web::Refusal.new(403, "this process belongs to another user, who alone may control it")
      end
    end
  end
end
