# frozen_string_literal: true

module Rperf
  # Where a profiled process begins or ends without an at_exit handler: fork, daemon, exec and
  # exit!. Of the rest of rperf, they load what is not loaded yet.
  module ProcessHooks
    class << self
      # Loads all of rperf, from what was read when the process began, and returns true. Where that
      # fails the program goes on: false, and `rperf record` says why not. (The names here are such
      # as Ruby has, and each block would stay: docs/decisions/0024.)
      def activated?
        Thread.pass while @loaded&.alive? && @loaded != Thread.current
        return true if defined?(ProfiledProcess)
        return false if @loaded # The handler of a signal, in the middle of this.
        begin
          @loaded = Thread.current
          # With it each of the thousands of objects that are made here would be a collection.
          GC.stress = false if (stress = GC.stress)
          sources = Native.sources(nil)
          while (path, text = sources.shift)
            next if $LOADED_FEATURES.include?(path)
            RubyVM::InstructionSequence.compile(text, path, path).eval
            $LOADED_FEATURES << path
          end
          true
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          directory = BEGUN[1][/(?:\A|\0)RPERF_SESSION_DIR\0([^\0]+)/, 1]
          Native.write_whole("#{directory}/#{$$}.tmp", "#{directory}/#{$$}.mark", "failed: #{error.class}: #{error.message}") if directory
          false
        ensure
          @loaded = nil
          GC.stress = stress if stress
        end
      end

      # Ends the session of this process. Whether there was a session to end.
      def finish
        begin
          # Loading is no time of the program's, nor are its objects. The session ends first: a
          # tick in what follows would take the program's last time.
          unless defined?(ProfiledProcess)
            return false if @ignored
            stat ||= [Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)]
            Native.note_program_end
            stat[1, 2] = GC.total_time, GC.stat
          end
          return false unless activated?
        rescue SignalException => signal # It counts, but later: see ProfiledProcess.finish.
          retry
        end
        finished = ProfiledProcess.finish(stat)
        raise signal, nil, [] if signal
        finished
      rescue StandardError # From what the program has made of GC.stat, say.
        false
      end

      # Does what ends the process at once. When that fails, the program goes on, and so does
      # profiling. Of rperf the program sees nothing then. (What a Ractor ends leaves no profile:
      # other Ractors run no code of rperf.)
      def terminate(receiver, ...)
        finished = Ractor.main? && Native.untraced(self, :finish)
        result = receiver.__send__(...)
        Native.untraced(ProfiledProcess, :resume) if finished # Not Ruby's own method: that does not return.
        result
      rescue Exception => error # rubocop:disable Lint/RescueException -- only its backtrace is changed
        Native.untraced(ProfiledProcess, :resume) if finished
        # Level 1 is this method, for a rescue clause has a frame of its own; 2 is what calls it.
        error.set_backtrace(caller_locations(3))
        raise
      end
    end

    # What stands in the place of Ruby's methods, which have another name now: see
    # process_hooks/install.rb.

    # Ruby calls this for every fork (but not for daemon).
    def _fork
      main = Ractor.main?
      loaded = main && Native.untraced(ProcessHooks, :activated?) # Once in the parent, not in each child.
      pid = rperf__fork
      if pid.zero?
        Native.untraced(ProfiledProcess, :fork) if loaded
        # What a Ractor has forked is not profiled: in Ruby 3.4 it crashes when it does much.
        ProcessHooks.instance_variable_set(:@ignored, true) unless main
      end
      pid
    end

    # The calling process ends without at_exit, its child goes on: the one writes, the other begins.
    def daemon(...)
      Native.untraced(ProcessHooks, :finish)
      defined?(ProfiledProcess) ? ProfiledProcess.daemon(...) : rperf_daemon(...)
    end

    # The process becomes another program.
    def exec(...) = ProcessHooks.terminate(self, :rperf_exec, ...)

    # The process ends without at_exit.
    def exit!(...) = ProcessHooks.terminate(self, :rperf_exit!, ...)
  end
end
