# frozen_string_literal: true

require "etc"
require_relative "../errors"
require_relative "../private_directory"

module Rperf
  module Control
    # The directories in which the sockets of a user's processes are. What others could have put
    # there is not used: a directory belongs to the user, is no link, and is open to no other.
    module SocketDirectory
      class << self
        # The one for this process; makes it. Raises Rperf::Error.
        def ensure
          runtime = ENV["XDG_RUNTIME_DIR"].to_s
          path = runtime?(runtime) ? File.join(runtime, "rperf") : temporary(Process.euid)
          flaw = make(path) or return path
          raise Error, "cannot make a control socket in '#{path}': #{flaw}; remove it, or set XDG_RUNTIME_DIR to a directory of your own"
        end

        # All those that there are of a user. Processes of one user may have other environments.
        def all(uid = Process.euid)
          runtimes = [ENV["XDG_RUNTIME_DIR"].to_s, "/run/user/#{uid}"].reject(&:empty?)
          [*runtimes.map { |path| File.join(path, "rperf") }, temporary(uid)].uniq.reject { |path| PrivateDirectory.flaw(path, uid) }
        end

        private

        # Not Dir.tmpdir: where the one that asks has another TMPDIR it would not find the socket.
        def temporary(uid) = File.join(Etc.systmpdir, "rperf-#{uid}")

        # `sudo` may leave the variable that of another user.
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
