# frozen_string_literal: true

module Rperf
  # Hooks where a profiled process begins or ends without an at_exit handler: fork, daemon, exec and
  # exit!. They load the parts of rperf that are not loaded yet.
  module ProcessHooks
    class << self
      # Loads all of rperf from the sources that were read when the process began, and returns true.
      # If it fails, returns false; the program goes on, and `rperf record` says why. (Few names are
      # new here, and no blocks: they would stay in the heap, see docs/decisions/0024.)
      def activated?
        Thread.pass while @loaded&.alive? && @loaded != Thread.current
        return true if defined?(ProfiledProcess)
        return false if @loaded # The handler of a signal, in the middle of this.
        begin
          raise @failure if @failure # In the parent, say: what was loaded then is not loaded again.
          @loaded = Thread.current
          # With GC.stress each of the thousands of objects made here would cause a collection.
          GC.stress = false if (stress = GC.stress)
          before = GC.total_time, (GC.stat if BEGUN[2][2]) # As in rperf/beginning.
          sources = Native.sources(nil)
          while (path, text = sources.shift)
            next if $LOADED_FEATURES.include?(path)
            RubyVM::InstructionSequence.compile(text, path, path).eval
            $LOADED_FEATURES << path
          end
          ProfiledProcess.leave_out(before)
          true
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          complain(error)
          false
        ensure
          @loaded = nil
          GC.stress = stress if stress
        end
      end

      # Ends the session of this process. Returns whether there was one.
      def finish
        begin
          # The time of loading is not the program's. The session ends first: a tick in the code
          # below would be charged with the program's last time.
          unless defined?(ProfiledProcess)
            return false if @ignored
            ended_ns ||= Native.note_program_end
          end
          return false unless activated?
        rescue SignalException, SystemExit => signal # It counts, but later: see ProfiledProcess.finish.
          retry
        end
        finished = ProfiledProcess.finish(ended_ns)
        raise signal, nil, [] if signal
        finished
      rescue StandardError => error # From what the program has made of GC.stat, say.
        complain(error)
        false
      end

      # Calls a method that ends the process at once, or makes a daemon of it. If that fails, the
      # program and the profiling go on, and the exception shows no frame of rperf. (A process that
      # another Ractor ends leaves no profile: other Ractors run no code of rperf.)
      def terminate(receiver, name, arguments)
        finished = (main = Ractor.main?) && Native.untraced(self, :finish)
        return ProfiledProcess.daemon(*arguments) if name == :rperf_daemon && main && defined?(ProfiledProcess)
        # A program that takes the place of this one (exec) has no session, and may begin its own.
        children = Recording.children if main && defined?(ProfiledProcess)
        children&.restore
        result = receiver.__send__(name, *arguments)
        Native.untraced(ProfiledProcess, :resume) if finished # Not Ruby's own method: that does not return.
        result
      rescue Exception => error # rubocop:disable Lint/RescueException -- only its backtrace is changed
        children&.export
        Native.untraced(ProfiledProcess, :resume) if finished
        # Level 1 is this method, since a rescue clause has its own frame; level 2 is the one that
        # the program has called.
        error.set_backtrace(caller_locations(2))
        raise
      end

      private

      # Tells `rperf record` why this process has no profile, or says it in one sentence on stderr.
      def complain(error)
        told, @failure = @failure, error
        reason = "#{error.class}: #{error.message.b}".byteslice(0, 500).lines.first.chomp # As ProfiledProcess::REASON.
        directory = BEGUN[1][/(?:\A|\0)RPERF_SESSION_DIR\0([^\0]+)/, 1]
        Native.write_whole("#{directory}/#{$$}.tmp", "#{directory}/#{$$}.mark", "failed: #{reason}") if directory
        $stderr.puts("rperf: the program runs unprofiled: #{reason}") unless directory || told
      rescue StandardError
        nil # Not even stderr is there.
      end
    end

    # This method and those of ext/rperf/src/api/process_hooks.rs, which call `terminate`, replace
    # Ruby's methods, which have other names now: see process_hooks/install.rb.

    # Begins a session in the child. Ruby calls this method for every fork (but not for daemon).
    def _fork
      main = Ractor.main?
      loaded = main && Native.untraced(ProcessHooks, :activated?) # Once in the parent, not in each child.
      Native.untraced(ProfiledProcess, :before_fork) if loaded
      pid = rperf__fork
      if pid.zero?
        Native.untraced(ProfiledProcess, :fork) if loaded
        # A child of another Ractor is not profiled: in Ruby 3.4 it crashes when it does much.
        ProcessHooks.instance_variable_set(:@ignored, true) unless main
      end
      pid
    rescue SystemCallError, IOError => error # Of $stdout and $stderr, which are flushed.
      error.set_backtrace(caller_locations(2)) # As in `terminate`.
      raise
    end
  end
end
