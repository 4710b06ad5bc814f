# frozen_string_literal: true

require_relative "../errors"
require_relative "failure"

module Rperf
  class CLI
    # The command, run as a child process with rperf's own stdin, stdout, stderr and process group.
    #
    # The terminal sends INT and QUIT to the child itself; rperf goes on, to collect its profile.
    # TERM, HUP, USR1 and USR2 are passed on to the child. Without a terminal INT and QUIT are
    # passed on, too. When the child has ended, these signals are for rperf: INT, QUIT, TERM and HUP
    # end it, USR1 and USR2 do nothing. INT, QUIT, TERM and HUP also end it as long as there is no
    # child: where the system allows no more processes, it waits until one has ended.
    #
    # Where the profile goes to stdout, the command's own output goes to stderr, as with
    # `perf record -o -`.
    class Child
      PASSED_ON = %w[TERM HUP USR1 USR2].freeze
      FROM_TERMINAL = %w[INT QUIT].freeze
      ENDING = %w[TERM HUP INT QUIT].freeze

      # Returns which of the signals PIPE and CHLD the parent ignores. Puts both at their default in
      # rperf: there is no status of a child while CHLD is ignored. Process.spawn always puts PIPE
      # at its default in the child.
      def self.lost = @lost ||= %w[PIPE CHLD].select { |name| trap(name, "DEFAULT") == "IGNORE" }

      # words: the command and its arguments; env: changes of its environment; stdout: whether the
      # command writes to rperf's stdout
      def initialize(words, env, stdout: true)
        @words = words
        @env = env
        @streams = stdout ? {} : {out: :err}
        @early = []
        @ignored = []
        @interrupted = false
      end

      # Whether a signal to end the command has arrived; the command may have ended by itself.
      def interrupted? = @interrupted

      # Runs the command to its end and returns its Process::Status.
      def run
        guard_signals
        @pid = start
        @early.each { |name| pass_on(name) }
        Process.wait2(@pid).last
      ensure
        @pid = nil # Another process may have the number now.
        (ENDING - @ignored).each { |name| trap(name, "DEFAULT") }
      end

      private

      def start
        command, *arguments = @words
        words = [@env, [command, command], *arguments, @streams]
        Child.lost.empty? ? Process.spawn(*words) : fork_and_exec(words)
      rescue SystemCallError => error
        raise Failure, "cannot run '#{command}': #{reason(error, command)}"
      rescue ArgumentError => error
        raise Failure, "cannot run '#{command}': #{error.message}"
      end

      # Does what Process.spawn does, and lets the child ignore what the parent of rperf ignores.
      def fork_and_exec(words)
        failure, own = IO.pipe
        pid = fork do
          Child.lost.each { |name| trap(name, "IGNORE") }
          exec(*words)
        rescue SystemCallError, ArgumentError => error
          own.write(Marshal.dump(error))
          exit!
        end
        own.close
        error = failure.read # Empty after a successful exec, which closes the pipe.
        return pid if error.empty?
        Process.wait(pid)
        raise Marshal.load(error)
      end

      def reason(error, command)
        case error
        when Errno::ENOENT then "#{scripted?(command) ? "the interpreter in its first line was not found" : "command not found"}#{hint(command)}"
        when Errno::EACCES then File.directory?(command) ? "it is a directory" : "it is not executable#{hint(command)}"
        when Errno::ENOEXEC then "it is not a program that the system knows; a script needs a first line such as '#!/usr/bin/env ruby'"
        when Errno::E2BIG then "its arguments and environment are too long"
        else Error.reason(error)
        end
      end

      # Whether it is the path of a file that the system has found.
      def scripted?(command) = command.include?("/") && File.file?(command)

      def hint(command)
        return "; name the interpreter: ruby #{command}" if command.end_with?(".rb") && File.file?(command)
        return "; for the file in this directory write ./#{command}" if !command.include?("/") && File.file?(command)
        return "; put 'env' before it" if command.match?(/\A\w+=/)
        return "; give the command and its arguments as separate words" if command.include?(" ")
        "; check its name and PATH" unless command.include?("/")
      end

      def guard_signals
        PASSED_ON.each { |name| catch_signal(name) { pass_on(name) } }
        FROM_TERMINAL.each { |name| catch_signal(name) { pass_on(name, to_child: !terminal?) } }
      end

      # Handles a signal by the block. A signal that the parent ignores (nohup, a shell's background
      # job) stays ignored, here and in the child. A handled one is at its default in the child.
      def catch_signal(name, &)
        before = trap(name, &)
        return unless before == "IGNORE"
        trap(name, "IGNORE")
        @ignored << name
      end

      def pass_on(name, to_child: true)
        ending = ENDING.include?(name)
        raise SignalException, name if ending && !@pid && !child? # Ruby tries for ever to fork.
        @interrupted ||= ending
        return unless to_child
        @pid ? Process.kill(name, @pid) : @early << name
      rescue Errno::ESRCH
        nil # It has just ended.
      end

      # Returns whether there is a child. Between the fork and `@pid`, only the system knows.
      def child?
        Process.wait(-1, Process::WNOHANG)
        true
      rescue Errno::ECHILD
        false
      end

      def terminal?
        return @terminal if defined?(@terminal)
        @terminal = begin
          File.open("/dev/tty") { true }
        rescue SystemCallError
          false
        end
      end
    end
  end
end
