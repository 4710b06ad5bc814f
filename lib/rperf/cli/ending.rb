# frozen_string_literal: true

module Rperf
  class CLI
    # Ends this process as the command ended: with its status, or by its signal.
    class Ending
      # Signals for which Ruby keeps its handlers. A shell replaces this process to die by them.
      KEPT_BY_RUBY = %w[SEGV BUS ILL FPE VTALRM].freeze

      # status: the command's Process::Status
      # failed: whether rperf itself could not do what was asked
      def initialize(status, failed: false)
        @status = status
        @failed = failed
      end

      # Returns the exit status. Does not return when a signal ended the command.
      def call
        return die_by(@status.termsig) if @status.signaled?
        own = @status.exitstatus
        own.zero? && @failed ? 1 : own
      end

      # Whether the command failed, or rperf could not do what was asked.
      def failed? = @failed || !success?

      # Whether the command ended with status 0.
      def success? = @status.success?

      # Whether a signal ended the command.
      def signaled? = @status.signaled?

      # Describes the ending: "ended with status 3", "was ended by SIGTERM".
      def to_s
        return "was ended by SIG#{Signal.signame(@status.termsig)}" if signaled?
        "ended with status #{@status.exitstatus}"
      end

      private

      def die_by(number)
        [$stdout, $stderr].each { |stream| flush(stream) }
        Process.setrlimit(:CORE, 0) # The command's core is the one that matters.
        KEPT_BY_RUBY.include?(Signal.signame(number)) ? die_as_shell(number) : die_as_ruby(number)
        128 + number # The signal did not end us: what a shell would say.
      end

      # Flushes a stream. Its errors are ignored, since the ending of the command is what counts.
      def flush(stream)
        stream.flush
      rescue SystemCallError, IOError
        nil
      end

      def die_as_ruby(number)
        trap(number, "SYSTEM_DEFAULT") unless number == Signal.list["KILL"]
        Process.kill(number, Process.pid)
        sleep(1) # Delivered at the next check for interrupts.
      rescue ArgumentError, SystemCallError
        nil
      end

      def die_as_shell(number)
        exec("/bin/sh", "-c", "kill -#{number} $$")
      rescue SystemCallError
        nil
      end
    end
  end
end
