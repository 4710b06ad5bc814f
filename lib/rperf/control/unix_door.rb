# frozen_string_literal: true

require_relative "client"
require_relative "door"
require_relative "socket_directory"

module Rperf
  module Control
    # A Unix socket for processes of the same user, and of root.
    class UnixDoor < Door
      TERMS = Terms.new(most_seconds: 600, waits: true, commands: true)
      private_constant :TERMS

      # The path of the socket.
      attr_reader :address

      # Removes the socket.
      def withdraw
        File.unlink(@address) if @address
      rescue SystemCallError
        nil # It has gone, or this process has become another user's.
      end

      private

      def router = @router ||= Router.new(TERMS)

      def listen
        directory = SocketDirectory.ensure
        path = SocketDirectory.socket(directory, Process.pid)
        remove_stale(path)
        remove_left(directory)
        UNIXServer.new(path).tap do
          @address = path
          File.chmod(0o600, path) # No other user comes into the directory.
        end
      rescue ArgumentError => error
        raise Error, "cannot listen at '#{path}': #{error.message}; set XDG_RUNTIME_DIR to a directory with a shorter path"
      rescue SystemCallError => error
        raise Error, "cannot listen at '#{path}': #{Error.reason(error)}"
      end

      # Removes the socket of an ended process with this pid, or of this one before an exec.
      def remove_stale(path)
        UNIXSocket.new(path).close
        raise Error, "another process listens at '#{path}' already"
      rescue Errno::ENOENT
        nil
      rescue Errno::ECONNREFUSED
        File.unlink(path)
      end

      # Removes sockets of processes that ended without removing them (by exit!, or killed).
      def remove_left(directory)
        clients = SocketDirectory.sockets(directory).map { |path| Client.new(path) }
        clients.each { |client| client.listens? unless alive?(client.pid) } # One of another container does.
      end

      def alive?(pid)
        Process.kill(0, pid)
      rescue SystemCallError => error
        !error.is_a?(Errno::ESRCH) # That of another user lives.
      end

      # Checks the other side's user, which the kernel says, whatever permissions the file has.
      def check(_request, socket)
        uid, = socket.getpeereid
        return if [Process.euid, 0].include?(uid)
        raise Web::Refusal.new(403, "this process belongs to another user, who alone may control it")
      end
    end
  end
end
