# frozen_string_literal: true

module Stress
  module Hazards
    # Exceptions, throw, break, next and return out of C frames, in every way that C can be left.
    class Jumps
      def run(end_ns)
        until Workloads.monotonic_ns >= end_ns
          raise_and_rescue
          throw_out
          leave_blocks
          unwind(30)
        end
      end

      def raise_and_rescue
        Workloads.protect_through_c(1) { Workloads.raise_through_c(ArgumentError.new("out of C")) }
      rescue ArgumentError
        Workloads.spin(5_000)
      ensure
        Workloads.ensure_through_c(2) { |value| value }
      end

      def throw_out
        catch(:out) { [1].each { Workloads.yield_through_c(1) { Workloads.throw_through_c(:out) } } }
      end

      def leave_blocks
        Workloads.yield_through_c(1) { break }
        Workloads.ensure_through_c(1) { next }
        return_from_block
      end

      def return_from_block
        Workloads.protect_through_c(1) { return Workloads.spin(5_000) }
      end

      def unwind(depth)
        raise "at the end" if depth.zero?

        Workloads.yield_through_c(depth) { |left| unwind(left - 1) }
      rescue RuntimeError
        raise unless depth == 30
      end
    end
  end
end
