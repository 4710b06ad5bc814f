# frozen_string_literal: true

module Accuracy
  module Cases
    # Work at the end of 1,500 recursive calls, and some of it at the top.
    class Deep < Case
      title "recursion 1,500 deep"
      measures :burn_thread_cpu, :burn_a
      ruby_work :ruby_at_depth, ns: 2_000_000

      DEPTH = 1_500

      def turn
        descend(DEPTH)
        charge(:burn_a, Workloads.burn_a(1_000_000))
      end

      private

      def descend(depth)
        return descend(depth - 1) if depth.positive?

        charge(:burn_thread_cpu, Workloads.burn_thread_cpu(3_000_000))
        ruby_at_depth
      end
    end
  end
end
