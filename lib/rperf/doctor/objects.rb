# frozen_string_literal: true

require_relative "../allocation_proof"
require_relative "../errors"
require_relative "../malloc_proof"
require_relative "../facade"
require_relative "finding"

module Rperf
  module Doctor
    # Sessions of objects and memory: how allocations are seen, and whether deaths are.
    class Objects
      # Returns the findings.
      def findings = [alloc, heap, malloc]

      private

      def alloc
        return Finding.ok("alloc", "direct: Ruby's own calls are counted, 2 to 4 ns an object") if AllocationProof.ensure
        Finding.note("alloc", "event: the VM tells of each object, 40 to 50 ns each",
          "A Ruby with a shared library (configure --enable-shared) has the direct watch.")
      end

      def heap
        Rperf.start(mode: :heap, gc: false) { Object.new }
        Finding.ok("heap", "the collector tells which objects are dead")
      rescue Rperf::Error => error
        Finding.bad("heap", error.message, "Use -m alloc.")
      end

      def malloc
        return Finding.ok("malloc", "--malloc sees what Ruby takes from malloc(3)") if AllocationProof.ensure && MallocProof.ensure
        Finding.note("malloc", "--malloc is not possible: rperf does not see all that this Ruby takes from malloc(3)",
          "Buffers count by the size of their objects.")
      end
    end
  end
end
