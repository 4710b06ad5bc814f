# frozen_string_literal: true

require_relative "begun"
require_relative "control/guest_session"
require_relative "control/router"
require_relative "control/settings"
require_relative "control/signal_door"
require_relative "control/tcp_door"
require_relative "control/unix_door"
require_relative "forks"
require_relative "program"

module Rperf
  # Control of this process from outside while it runs: its state, profiles of it, and sessions that
  # begin and end on request. Nothing listens before `start` is called.
  #
  #   Rperf::Control.start                            # a Unix socket for `rperf ps`, `rperf attach`
  #   Rperf::Control.start(listen: "127.0.0.1:6065")  # and a port for `go tool pprof`, scrapers
  #
  # Each forked child has a socket of its own. A socket is removed when its process ends.
  module Control
    @doors = []
    @owner = nil
    @watched = false

    class << self
      # Begins to listen.
      #
      # socket:     whether this process, and each forked child, listens at a Unix socket (true)
      # listen:     an address and a port, such as "127.0.0.1:6065", of this process only; if other
      #             machines can reach it, it needs a token (nil: none)
      # token_file: a file with 16 bytes or more, which requests at the port then need (nil)
      # signal:     the number of a real-time signal, such as 43, that begins a session, and ends it
      #             at the next one, also in each forked child (nil: none)
      #
      # Replaces what the environment has started, but keeps its port in this process unless
      # another one is given. Raises ArgumentError for other values; Rperf::Error if listening is
      # impossible, if the program has started control already, or in a Ractor other than the main
      # one.
      def start(socket: true, listen: nil, token_file: nil, signal: nil)
        Error.check_ractor("Rperf::Control.start")
        raise Error, "control listens already: stop it with Rperf::Control.stop before you start it again" if running? && !@by_environment
        socket = socket?(socket)
        kept = @doors.any?(TcpDoor) ? @settings : {}
        listen, token_file = listen || kept[:listen], token_file || kept[:token_file]
        check_doors(socket, listen, token_file, signal)
        for_children = [*(-> { UnixDoor.new } if socket), *(-> { SignalDoor.new(signal) } if signal)]
        port = TcpDoor.new(listen, token_file) if listen
        doors = [*for_children.map(&:call), *port]
        stop if running?
        @for_children = for_children
        @settings = {socket:, listen:, token_file: port&.token&.path, signal:}
        open_doors(doors)
        watch_process unless @watched
        nil
      end

      # Begins to listen as the environment says (RPERF_CONTROL, RPERF_LISTEN). An error is one
      # line on stderr.
      def start_from_env(env = ENV)
        settings = Settings.from_env(env)
        return if settings.nil? || running? || Program.rperf?
        start_by_settings(settings)
        @by_environment = true
      rescue StandardError => error
        Error.complain "the program cannot be controlled: #{error.message}"
      end

      # As `start`, in processes that have the same settings, of which one alone can have the port:
      # the others say so in one line on stderr, and do without it.
      def start_by_settings(settings)
        start(**settings)
      rescue Error => error
        raise unless settings[:listen] && (socket?(settings.fetch(:socket, true)) || settings[:signal])
        start(**settings.except(:listen, :token_file))
        Error.complain "#{error.message}; process #{Process.pid} has #{addresses.join(" and ")} alone"
      end

      # Stops listening. A session that was started from outside goes on to its own end. Raises
      # Rperf::Error in a Ractor other than the main one.
      def stop
        Error.check_ractor("Rperf::Control.stop")
        close_doors
        @by_environment = nil
      end

      # Stops listening, since the daemon will listen at the same place. Returns the keywords to
      # start again; nil if control did not listen.
      def before_daemon = (@settings.tap { close_doors } if running?)

      # Listens again in the daemon. If that fails, the daemon goes on without control.
      def after_daemon(settings)
        start(**settings) if settings
      rescue StandardError => error
        complain(error)
      end

      # Returns whether this process listens.
      def running? = @owner == Process.pid

      # Returns the places where it listens: the path of the Unix socket, "http://127.0.0.1:6065",
      # "signal 43". Empty if it does not listen.
      def addresses = running? ? @doors.map(&:address) : []

      # Opens doors of its own in a child, right after fork.
      def begin_anew
        GuestSession.forget
        inherited, @doors = @doors, []
        return unless @owner
        inherited.each(&:abandon)
        open_doors(@for_children.map(&:call))
      rescue StandardError => error
        complain(error)
      end

      private

      def socket?(value) = Options::Value.read(Options::Value::Truth, value, "socket:")

      def check_doors(socket, listen, token_file, signal)
        raise ArgumentError, "token_file: is for the port, and none is opened: add listen:, or leave it out" if token_file && !listen
        return if socket || listen || signal
        raise ArgumentError, "socket: false leaves nothing to listen at: add listen: or signal:, or leave it out"
      end

      def complain(error) = Error.complain("process #{Process.pid} cannot be controlled: #{error.message}")

      # Withdraws the doors at exit, which does not wait for requests.
      def watch_process
        @watched = true
        Forks.watch(self)
        at_exit do
          @doors.each(&:withdraw) if running?
        rescue StandardError
          nil # From what the program has made of File.unlink, say. The next process removes the socket.
        end
      end

      def open_doors(doors)
        @owner = Process.pid
        doors.each { |door| door.open.then { @doors << door } }
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
  end
end
