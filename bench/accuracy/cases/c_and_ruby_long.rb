# frozen_string_literal: true

module Accuracy
  module Cases
    # Work in C and Ruby, each longer than a period. Under YJIT C frames are gone at safepoints.
    class CAndRubyLong < Case
      title "C 3 ms + Ruby 2 ms"
      measures :burn_thread_cpu
      ruby_work :ruby_two_ms, ns: 2_000_000

      def turn
        charge(:burn_thread_cpu, Workloads.burn_thread_cpu(3_000_000))
        ruby_two_ms
      end
    end
  end
end
