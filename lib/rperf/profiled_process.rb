# frozen_string_literal: true

require_relative "facade"
require_relative "first_use"
require_relative "work"
require_relative "process_hooks"
require_relative "process_stat"
require_relative "destination"

module Rperf
  # A process that is profiled from its start to its end, as the environment says: rperf/autostart
  # begins the session, and the end of the process ends it. Its forked children begin anew, each
  # with a profile of its own.
  #
  # Nothing here may stop or change the program: a failure causes one sentence on stderr.
  module ProfiledProcess
    # Signals that are often sent twice, by `timeout` or by users: the second one must not interrupt
    # the writing of the profile.
    IMPATIENCE = %w[INT TERM HUP].freeze
    # Signal of a write beyond the size limit of files. Then the profile is not written, but the
    # program goes on unchanged.
    TOO_LARGE = "XFSZ"
    # What is shown of the message of an error: the first line, as far as 500 bytes reach.
    REASON = /.{,500}/

    @options = nil
    @destination = nil
    @stat = nil
    @owner = nil # The process that the session belongs to.
    @installed = false
    @keep = false

    class << self
      # Begins the session. Called once, before the program's first line, or by the Railtie, which
      # has options of its own.
      def begin(options = nil, env: ENV)
        require_relative "variables"
        Variables.complain_of_unknown(env)
        @options = options || Options.from_env(env)
        @destination = Destination.from_env(env, @options)
        return unless @destination

        install
        begin_session
      rescue ArgumentError, Error, SystemCallError => error
        complain(error)
      end

      # Takes over the session that rperf/beginning has begun.
      def take_over(pid, settings, figures)
        env = Hash[*settings.split("\0", -1)]
        @options = Options.from_env(env)
        @destination = Destination.from_env(env, @options)
        @stat = ProcessStat.new(figures)
        @owner = pid
        @installed = true
        Recording.take_over(Options.from_keywords(session_keywords), figures.first)
      end

      # For a session that the program began itself: gives each forked child a session of its own,
      # whose profile goes to `destination`.
      def watch_forks(options, destination)
        @options = options
        @destination = destination
        @keep = true
        install
      end

      # Leaves the collections and objects since these readings out of the statistics.
      def leave_out(readings) = @stat&.leave_out(readings)

      # Gives no session to children that are forked later.
      def ignore_forks = @destination = nil

      # Notes what the child's session goes on with, right before fork.
      def before_fork = Native.hand_over_blocks(false)

      # Begins a session in a child, right after fork.
      def fork = resume(child: true)

      # Begins a session in a process that goes on although it was about to end.
      #
      # child: whether this is another process than before, which has a session if the options say
      # so
      def resume(child: false)
        return if @owner == $$ || @destination.nil? || Native.running?
        begin_session unless child && !@options[:inherit]
      rescue StandardError, ScriptError => error
        complain(error)
      end

      # Makes a daemon of the process. Returns in the daemon, or in the process itself if that
      # fails.
      def daemon(...)
        before = $$
        expected = @destination&.expect_daemon
        Process.__send__(:rperf_daemon, ...)
      ensure
        resume(child: before != $$)
        @destination&.daemon_began(expected)
      end

      # Ends the session at the end of the process. Raises nothing but a signal that came meanwhile,
      # and never changes the exit status. Returns whether there was a session to end.
      #
      # ended_ns: the time when the program ended, if that was earlier
      def finish(ended_ns = nil)
        GC.stress = false if (stress = GC.stress) # As in ProcessHooks.activated?
        begin
          return false unless @owner == $$
          readings ||= ProcessStat.readings(ended_ns) # Before the end of a heap profile, which collects.
          Native.note_program_end
          finished = ignoring(*IMPATIENCE, TOO_LARGE) { deliver(readings) }
        rescue SignalException, SystemExit => signal # It came before it was ignored: it counts, but later.
          retry if @owner
        end
        raise signal, nil, [] if signal # Where rperf was then does not matter.
        finished
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        complain(error)
        true
      ensure
        GC.stress = stress if stress
      end

      private

      def install
        FirstUse.prepare { install_hooks unless @installed }
      end

      # (Where no session could begin, rperf/beginning may have installed them already.)
      def install_hooks
        unless Process.respond_to?(:rperf__fork, true)
          load("#{__dir__}/process_hooks/install.rb", true)
          Native.at_exit(ProcessHooks)
        end
        @installed = true
      end

      def begin_session
        @destination.announce
        @owner = $$
        # Before the session, which would have the objects of loading in the program's profile.
        require_relative "memory_stat" if @options.objects?
        Rperf.start(**session_keywords)
        @stat = Native.own_work { ProcessStat.new(objects: @options.objects?) }
        Native.hand_over_blocks(true)
        Recording.keep if @keep
      rescue SignalException, SystemExit => signal # The process ends before its session has begun.
        @owner = nil
        complain(signal)
        raise
      rescue StandardError, ScriptError
        @owner = nil
        raise
      end

      # The destination handles output and statistics.
      def session_keywords
        Options::TABLE.values.select(&:native).to_h { |setting| [setting.name, @options[setting.name]] }.compact
      end

      def deliver(readings)
        @owner = nil
        stat = @stat.to_h(readings)
        profiles = Recording.stop(stat:)
        return true unless @destination # Its directory is gone, or the program has no way to it any more.
        profiles ? @destination.deliver(profiles, stat) : @destination.withdraw # The program stopped the session itself.
        !profiles.nil?
      end

      # Runs the block while these signals are ignored: those that come meanwhile are lost.
      def ignoring(*signals)
        before = {}
        signals.each { |name| before[name] = Signal.trap(name, "IGNORE") } # A plain `trap` may be the program's.
        yield
      ensure
        before.each { |name, handler| Signal.trap(name, handler) if handler }
      end

      def complain(error)
        # The message of an error that is no mistake of the user may not say what kind it is.
        kind = "#{error.class}: " if [Error, ArgumentError, SystemCallError].none? { |known| known === error }
        message = "#{kind}#{error.message.b}"[REASON]
        sentence = kind ? "the program runs unprofiled: #{message}" : message
        return $stderr.puts("rperf: #{sentence}") unless @destination
        ignoring(TOO_LARGE) { @destination.complain(message, sentence) }
      rescue StandardError
        Error.say("rperf: #{sentence}\n") # From what the program has made of Signal.trap, say.
      end
    end
  end

  ProfiledProcess.take_over(*BEGUN) if defined?(BEGUN)
end
