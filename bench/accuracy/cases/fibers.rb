# frozen_string_literal: true

module Accuracy
  module Cases
    # Two fibers taking turns, in a rhythm that a fixed 1 ms tick falls into.
    class Fibers < Case
      title "two fibers taking turns"
      measures :burn_thread_cpu
      ruby_work :ruby_in_fiber, ns: 1_500_000

      def turns
        in_ruby = fiber { ruby_in_fiber }
        in_c = fiber { charge(:burn_thread_cpu, Workloads.burn_thread_cpu(2_500_000)) }
        repeat do
          in_ruby.resume
          in_c.resume
        end
      end

      private

      def fiber
        Fiber.new do
          loop do
            yield
            Fiber.yield
          end
        end
      end
    end
  end
end
