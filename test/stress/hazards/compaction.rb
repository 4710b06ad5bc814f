# frozen_string_literal: true

module Stress
  module Hazards
    # Objects that move: frames, iseqs and method entries among them.
    class Compaction
      def run(end_ns)
        GC.auto_compact = true
        kept = []
        until Workloads.monotonic_ns >= end_ns
          1_000.times { |i| kept << "object #{i}" }
          kept = kept.each_slice(2).map(&:first)
          GC.compact
        end
      ensure
        GC.auto_compact = false
      end
    end
  end
end
