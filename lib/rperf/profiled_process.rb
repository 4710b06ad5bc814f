# frozen_string_literal: true

require_relative "../rperf" unless Rperf.respond_to?(:start)
require_relative "process_stat"
require_relative "destination"

module Rperf
  # The process that is profiled from its start to its end, as the environment says: rperf/autostart begins
  # it, and the end of the process ends it. Its forked children begin anew, each with a profile of its own.
  #
  # Nothing here may stop or change the program: what fails is one sentence on stderr.
  module ProfiledProcess
    @options = nil
    @destination = nil
    @stat = nil
    @owner = nil # The process that the session belongs to.

    # Begins and ends sessions where processes begin and end.
    module ForkHook
      # Ruby calls this for every fork (but not for daemon).
      def _fork
        pid = super
        ProfiledProcess.begin_child if pid.zero?
        pid
      end

      # The calling process ends without at_exit, its child goes on: the one writes, the other begins.
      def daemon(...)
        ProfiledProcess.finish
        super.tap { ProfiledProcess.begin_child }
      end
    end

    class << self
      # Called once, before the program's first line.
      def begin
        @options = Options.from_env(ENV)
        @destination = Destination.from_env(ENV, @options)
        return unless @destination

        # The first handler registered is the last to run: after the program's own.
        at_exit { ProfiledProcess.finish }
        Process.singleton_class.prepend(ForkHook) if @options[:inherit]
        begin_session
      rescue ArgumentError, Error, SystemCallError => error
        complain(error)
      end

      # In a child, right after fork.
      def begin_child
        return if @owner == Process.pid
        begin_session
      rescue StandardError => error
        complain(error)
      end

      # At the end of the process. Never raises, never changes the exit status.
      def finish
        return unless @owner == Process.pid
        @owner = nil
        undisturbed { deliver }
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        complain(error)
      end

      private

      def begin_session
        @destination.announce
        @stat = ProcessStat.new
        @owner = Process.pid
        Rperf.start(**session_keywords)
      rescue Error
        @owner = nil
        raise
      end

      # Output and statistics are the business of the destination.
      def session_keywords
        Options::TABLE.values.select(&:native).to_h { |setting| [setting.name, @options[setting.name]] }
      end

      def deliver
        stat = @stat.to_h
        data = Rperf.stop
        return @destination.withdraw unless data # The program stopped the session itself.
        data[:stat] = stat
        @destination.deliver(data)
      end

      # `timeout` and impatient people send a signal twice: the second must not tear the profile in half.
      def undisturbed
        before = %w[INT TERM HUP].to_h { |name| [name, trap(name, "IGNORE")] }
        yield
      ensure
        before&.each { |name, handler| trap(name, handler) if handler }
      end

      def complain(error)
        @destination ? @destination.complain(error.message) : $stderr.puts("rperf: #{error.message}")
      rescue StandardError
        nil # Not even stderr is there.
      end
    end
  end
end
