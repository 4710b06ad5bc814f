# frozen_string_literal: true

module Stress
  module Hazards
    # Stacks as deep as they go, and their overflow.
    class DeepRecursion
      def run(end_ns)
        until Workloads.monotonic_ns >= end_ns
          descend(8_000)
          overflow
        end
      end

      def descend(left)
        left.zero? ? Workloads.spin(100_000) : descend(left - 1)
      end

      def overflow
        fall(0)
      rescue SystemStackError
        nil
      end

      def fall(depth) = [depth].map { |level| fall(level + 1) }
    end
  end
end
