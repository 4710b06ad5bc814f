# frozen_string_literal: true

require_relative "errors"
require_relative "native"

module Rperf
  # Threads of rperf's own. No session samples them, since their work and waiting are not the
  # program's.
  module OwnThread
    @all = []
    @ended = 0

    class << self
      # Starts a thread of this name that runs the block. It never ends the program: the block must
      # report its own exceptions. Threads inherit masked interrupts; here all are enabled, so that
      # the thread can be killed and does not delay the program's end. Raises Rperf::Error if the
      # system gives no thread, or too little memory for one.
      def start(name, &block)
        Native.check_memory
        thread = Thread.new do
          Thread.handle_interrupt(Object => :immediate) { block.call }
        ensure
          @ended += Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
        end
        thread.name = name
        thread.report_on_exception = false
        thread.thread_variable_set(:fork_safe, true) # Else Puma warns of it before it forks.
        @all = [*all, thread]
        # Not in the new thread: until it gets a processor, its waiting would be sampled.
        Native.leave_out_thread(thread)
        thread
      rescue ThreadError => error
        raise Error, "there is no thread for it (#{error.message}); raise the limit of threads (ulimit -u) or of memory (ulimit -v)"
      end

      # Returns the threads that are alive.
      def all = @all.select(&:alive?)

      # Returns the processor time of all these threads, in seconds, also of threads that have
      # ended. Linux reports it for threads that are alive.
      def cpu_seconds = @ended + all.sum { |thread| seconds_of(thread.native_thread_id) }

      private

      # Returns 0 if the thread has ended or there is no /proc.
      def seconds_of(native_id)
        File.read("/proc/self/task/#{native_id}/schedstat").to_i / 1e9
      rescue SystemCallError
        0
      end
    end
  end
end
