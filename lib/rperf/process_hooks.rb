# frozen_string_literal: true

module Rperf
  # Where a profiled process begins or ends without an at_exit handler: fork, daemon, exec and
  # exit!. Of the rest of rperf, they load what is not loaded yet.
  module ProcessHooks
    class << self
      # Loads all of rperf. Returns the module.
      def load
        require_relative "profiled_process"
        Rperf
      rescue ThreadError # A handler of a signal may load nothing itself.
        Thread.new { require_relative "profiled_process" }.join
        Rperf
      end

      # The first handler registered is the last to run: after the program's own. (One of a file
      # that is loaded within a module of its own would run before all others.)
      def finish_at_exit = at_exit { finish }

      # Ends the session of this process. Loading is no time of the program's.
      # Whether there was a session to end.
      def finish
        begin
          defined?(ProfiledProcess) || Native.note_program_end || load
        rescue SignalException => signal # It counts, but later: see ProfiledProcess.finish.
          retry
        end
        finished = ProfiledProcess.finish
        raise signal, nil, [] if signal
        finished
      end
    end

    # Where processes begin.
    module Beginnings
      # Ruby calls this for every fork (but not for daemon).
      def _fork
        ProcessHooks.load # Once in the parent, not in each child.
        pid = super
        ProfiledProcess.fork if pid.zero?
        pid
      end
    end

    # Where processes end and begin.
    module Daemons
      # The calling process ends without at_exit, its child goes on: the one writes, the other
      # begins.
      def daemon(...)
        ProcessHooks.finish
        ProfiledProcess.daemon { super }
      end
    end

    # Where processes end.
    module Endings
      # When it fails, the program goes on, and so does profiling. Of rperf the program sees nothing
      # then.
      def exec(...)
        finished = ProcessHooks.finish
        super
      rescue Exception => error # rubocop:disable Lint/RescueException -- only its backtrace is changed
        ProfiledProcess.resume if finished
        error.set_backtrace(caller_locations(2)) # Level 1 is this method: a rescue clause has a frame of its own.
        raise
      end

      # Ends the process at once.
      def exit!(...)
        ProcessHooks.finish
        super
      end
    end
  end
end
