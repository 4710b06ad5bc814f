# frozen_string_literal: true

require "etc"
require_relative "../errors"
require_relative "../private_directory"

module Rperf
  module Control
    # Directories of the sockets of a user's processes. A directory is used only if it belongs to
    # the user, is no link, and is open to no other user, who could have put files there.
    module SocketDirectory
      class << self
        # Returns the directory for this process, and makes it. Raises Rperf::Error.
        def ensure
          runtime = ENV["XDG_RUNTIME_DIR"].to_s
          path = runtime?(runtime) ? File.join(runtime, "rperf") : temporary(Process.euid)
          flaw = make(path) or return path
          raise Error, "cannot make a control socket in '#{path}': #{flaw}; remove it, or set XDG_RUNTIME_DIR to a directory of your own"
        end

        # Returns all directories of a user. Processes of one user may have different environments.
        def all(uid = Process.euid)
          runtimes = [ENV["XDG_RUNTIME_DIR"].to_s, "/run/user/#{uid}"].reject(&:empty?)
          [*runtimes.map { |path| File.join(path, "rperf") }, temporary(uid)].uniq.reject { |path| PrivateDirectory.flaw(path, uid) }
        end

        # Returns the path of the socket of a process.
        def socket(directory, pid) = File.join(directory, "#{pid}.sock")

        # Returns the paths of all sockets in a directory.
        def sockets(directory) = Dir.glob("*.sock", base: directory).map { |name| File.join(directory, name) }

        private

        # Not in Dir.tmpdir: a process that has another TMPDIR would not find the socket.
        def temporary(uid) = File.join(Etc.systmpdir, "rperf-#{uid}")

        # Whether the directory is this user's: after `sudo` the variable may name another user's.
        def runtime?(path)
          stat = File.lstat(path)
          stat.directory? && stat.uid == Process.euid
        rescue SystemCallError
          false
        end

        def make(path)
          PrivateDirectory.make(path)
        rescue SystemCallError => error
          raise Error, "cannot make the directory '#{path}' for control sockets: #{Error.reason(error)}"
        end
      end
    end
  end
end
