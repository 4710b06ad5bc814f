# frozen_string_literal: true

module Stress
  module Hazards
    # Threads that hand the GVL, a mutex and a queue to one another.
    class Contention
      def run(end_ns)
        mutex = Mutex.new
        queue = SizedQueue.new(3)
        producers = Array.new(3) { Thread.new { produce(queue, mutex, end_ns) } }
        consumer = Thread.new { consume(queue) }
        producers.each(&:join)
        queue.close
        consumer.join
      end

      def produce(queue, mutex, end_ns)
        until Workloads.monotonic_ns >= end_ns
          mutex.synchronize { Workloads.spin(5_000) }
          Workloads.burn_without_gvl(50_000)
          queue << :done
        end
      end

      def consume(queue)
        nil while queue.pop
      end
    end
  end
end
