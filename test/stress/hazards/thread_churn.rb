# frozen_string_literal: true

module Stress
  module Hazards
    # Threads that live a moment, are killed in the middle, raise, or are interrupted by a timeout.
    class ThreadChurn
      def run(end_ns)
        until Workloads.monotonic_ns >= end_ns
          Array.new(20) { |i| Thread.new { short_life(i) } }.each(&:join)
          kill_in_the_middle
          raise_in_the_middle
          time_out
        end
      end

      def short_life(number) = Workloads.spin(number * 5_000)

      def kill_in_the_middle
        threads = Array.new(5) { Thread.new { loop { short_life(1) } } }
        Thread.pass
        threads.each(&:kill).each(&:join)
      end

      def raise_in_the_middle
        thread = Thread.new { loop { short_life(1) } }
        thread.report_on_exception = false
        thread.raise(IOError, "in the middle")
        thread.join
      rescue IOError
        nil
      end

      def time_out
        Timeout.timeout(0.002) { loop { short_life(1) } }
      rescue Timeout::Error
        nil
      end
    end
  end
end
