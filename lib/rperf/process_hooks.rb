# frozen_string_literal: true

module Rperf
  # Where a profiled process begins or ends without an at_exit handler: fork, daemon, exec and exit!.
  module ProcessHooks
    # Where processes begin.
    module Beginnings
      # Ruby calls this for every fork (but not for daemon).
      def _fork
        pid = super
        ProfiledProcess.begin_anew if pid.zero?
        pid
      end

      # The calling process ends without at_exit, its child goes on: the one writes, the other begins.
      def daemon(...)
        ProfiledProcess.finish
        super
      ensure
        ProfiledProcess.begin_anew
      end
    end

    # Where processes end.
    module Endings
      # When it fails, the program goes on, and so does profiling. Of rperf the program sees nothing then.
      def exec(...)
        finished = ProfiledProcess.finish
        super
      rescue Exception => error # rubocop:disable Lint/RescueException -- only its backtrace is changed
        ProfiledProcess.begin_anew if finished
        error.set_backtrace(caller_locations(2)) # Level 1 is this method: a rescue clause has a frame of its own.
        raise
      end

      # Ends the process at once.
      def exit!(...)
        ProfiledProcess.finish
        super
      end
    end

    # The same for calls without a receiver, which are private methods of every object.
    PrivateEndings = Endings.dup.module_eval { private(:exec, :exit!) && self }

    # children: whether forked processes are profiled, too
    def self.install(children:)
      Process.singleton_class.prepend(Beginnings) if children
      [Process, Kernel].each { |owner| owner.singleton_class.prepend(Endings) }
      # Not prepended to Kernel: a library that makes an alias there and defines the method anew would call itself for ever.
      Object.include(PrivateEndings)
    end
  end
end
