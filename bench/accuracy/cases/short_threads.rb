# frozen_string_literal: true

module Accuracy
  module Cases
    # Threads that live about one period, one after the other: at least 600 of them.
    class ShortThreads < Case
      title "600 threads of 1 ms"
      error_bar 0.05
      measures :burn_thread_cpu
      ruby_work :ruby_in_thread, ns: 400_000

      FEWEST = 600
      # Times as many where each stop by a container's limit takes 40 ms, 1.7 % of their time.
      FACTOR_WITH_STOPS = 4

      def reset
        super
        @outside = 0
      end

      def turns
        started = 0
        fewest = circumstance&.scarce? ? FEWEST * FACTOR_WITH_STOPS : FEWEST
        until started >= fewest && over?
          run_thread
          started += 1
        end
      end

      def turn
        charge(:burn_thread_cpu, Workloads.burn_thread_cpu(600_000))
        ruby_in_thread
      end

      # A thread exists before its first line and after its last one. In wall mode the profile has
      # what it waits there, too, for a processor most of all, and no line of it can measure that.
      def all_time(attribution)
        Workloads.clock == :wall ? attribution.total.clamp(lives, lives + @outside) : super
      end

      private

      # Runs a turn in a thread of its own, and measures from outside how long that thread exists at
      # most.
      def run_thread
        lived = lives
        started = Workloads.monotonic_ns
        Thread.new { live { turn } }.join
        @outside += Workloads.monotonic_ns - started - (lives - lived)
      end
    end
  end
end
