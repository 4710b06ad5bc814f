# frozen_string_literal: true

module Stress
  module Hazards
    # Fibers by the thousand: finished, abandoned, raised into; enumerators that run in fibers of
    # their own.
    class FiberStorm
      def run(end_ns)
        until Workloads.monotonic_ns >= end_ns
          200.times { |i| Fiber.new { in_fiber(i) }.resume }
          abandoned = Array.new(50) { Fiber.new { Fiber.yield in_fiber(3) }.tap(&:resume) }
          raise_into(abandoned.first)
          enumerators
        end
      end

      def in_fiber(number)
        Workloads.spin(number * 50)
        number.zero? ? 0 : Fiber.new { Workloads.spin(1_000) }.resume
      end

      def raise_into(fiber)
        fiber.raise(StopIteration)
      rescue StopIteration
        nil
      end

      def enumerators
        letters = %w[a b c].each
        3.times { letters.next }
        (1..).lazy.map { |n| n * 2 }.select { |n| (n % 3).zero? }.first(20)
        [1, 2, 3].each_entry.with_index.zip(4..6)
      end
    end
  end
end
