# frozen_string_literal: true

module Stress
  module Hazards
    # A garbage collection at every allocation, in short bursts.
    class GcStress
      def run(_end_ns)
        GC.stress = true
        8.times { |i| allocate(i) }
      ensure
        GC.stress = false
      end

      def allocate(number) = [number.to_s, { number => [number] }]
    end
  end
end
