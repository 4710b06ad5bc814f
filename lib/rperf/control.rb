# frozen_string_literal: true

require_relative "facade"
require_relative "control/guest_session"
require_relative "control/router"
require_relative "control/unix_door"

module Rperf
  # Control of this process from outside while it runs: what it does, profiles of it, and sessions
  # that begin and end on request. Nothing listens before `start` is called.
  #
  #   Rperf::Control.start                                # a Unix socket for `rperf ps`, `rperf attach`, ...
  #
  # Each forked child has a socket of its own; the socket goes when its process ends.
  module Control
    @doors = []
    @owner = nil
    @watched = false

    class << self
      # Begins to listen. Raises Rperf::Error when that is impossible, when it listens already, or
      # in another Ractor than the main one.
      def start
        raise Error, "Rperf::Control.start works in the main Ractor only: call it there" unless Ractor.main?
        raise Error, "control listens already: stop it with Rperf::Control.stop before you start it again" if running?
        open_doors
        watch_process unless @watched
        nil
      end

      # Ends it. A session that was started from outside goes on to its own end.
      def stop
        close_doors
        nil
      end

      # Whether this process listens.
      def running? = @owner == Process.pid

      # Where it listens: the path of the Unix socket. Empty where it does not.
      def addresses = running? ? @doors.map(&:address) : []

      # In a child, right after fork.
      def begin_anew
        GuestSession.forget
        inherited, @doors = @doors, []
        return unless @owner
        inherited.each(&:abandon)
        open_doors
      rescue StandardError => error
        $stderr.puts "rperf: process #{Process.pid} cannot be controlled: #{error.message}"
      end

      private

      # Exit waits for no request.
      def watch_process
        @watched = true
        Process.singleton_class.prepend(Forks)
        at_exit { @doors.each(&:withdraw) if running? }
      end

      def open_doors
        @owner = Process.pid
        @doors << UnixDoor.new
        @doors.each(&:open)
      rescue Error
        close_doors
        raise
      end

      def close_doors
        return unless running?
        @owner = nil
        @doors.each(&:withdraw)
        @doors.shift.close while @doors.any?
      end
    end

    # Where processes begin that have no threads of their parent's.
    module Forks
      # Ruby calls this for every fork (but not for daemon).
      def _fork
        pid = super
        Control.begin_anew if pid.zero?
        pid
      end

      # The calling process ends, its child goes on.
      def daemon(...)
        Control.stop if (listens = Control.running?)
        super
      ensure
        Control.start if listens
      end
    end
    private_constant :Forks
  end
end
