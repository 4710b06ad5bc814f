# frozen_string_literal: true

module Accuracy
  module Cases
    # Work in C and Ruby, each shorter than a period.
    class CAndRubyShort < Case
      title "C 300 us + Ruby 200 us"
      measures :burn_thread_cpu
      ruby_work :ruby_fifth_ms, ns: 200_000

      def turn
        charge(:burn_thread_cpu, Workloads.burn_thread_cpu(300_000))
        ruby_fifth_ms
      end
    end
  end
end
