# frozen_string_literal: true

module Stress
  module Hazards
    # Code beside the main ractor: the VM's events fire for it too.
    class Ractors
      def run(_end_ns)
        Array.new(2) { |i| Ractor.new(i) { |n| (n + 1).times.sum { |k| k.to_s.size } } }.each(&:take)
      end
    end
  end
end
