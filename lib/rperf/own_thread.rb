# frozen_string_literal: true

require_relative "native"

module Rperf
  # Threads of rperf's own, which no session samples: their work and their waiting are not the
  # program's.
  module OwnThread
    @all = []
    @ended = 0

    class << self
      # Starts one of this name that runs the block. It never ends the program: what the block
      # raises is for the block to say. It can be killed, and does not hold up the program's end,
      # where the thread that starts it lets nothing interrupt it: threads inherit that.
      def start(name, &block)
        thread = Thread.new do
          Thread.handle_interrupt(Object => :immediate) { block.call }
        ensure
          @ended += Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
        end
        thread.name = name
        thread.report_on_exception = false
        thread.thread_variable_set(:fork_safe, true) # Else Puma warns of it before it forks.
        @all = [*all, thread]
        # Here, not in the thread: until that has a processor, what it waits would be the program's.
        Native.leave_out_thread(thread)
        thread
      end

      # Those that live.
      def all = @all.select(&:alive?)

      # Seconds of processor time that they, and those that have ended, have taken: of those that
      # live as Linux tells it.
      def cpu_seconds = @ended + all.sum { |thread| seconds_of(thread.native_thread_id) }

      private

      # 0 where there is no such thread any more, or no /proc.
      def seconds_of(native_id)
        File.read("/proc/self/task/#{native_id}/schedstat").to_i / 1e9
      rescue SystemCallError
        0
      end
    end
  end
end
