# frozen_string_literal: true

module Accuracy
  module Cases
    # Threads that live about as long as a tick, one after the other: at least 600 of them.
    class ShortThreads < Case
      title "600 threads of 1 ms"
      error_bar 0.05
      measures :burn_thread_cpu
      ruby_work :ruby_in_thread, ns: 400_000

      FEWEST = 600

      def turns
        started = 0
        until started >= FEWEST && over?
          Thread.new { live { turn } }.join
          started += 1
        end
      end

      def turn
        charge(:burn_thread_cpu, Workloads.burn_thread_cpu(600_000))
        ruby_in_thread
      end
    end
  end
end
