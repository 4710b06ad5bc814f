# frozen_string_literal: true

require_relative "native"

module Rperf
  # Proves, once in a process, that the direct watch of allocations sees every object: it makes
  # objects of every kind, and as many must be seen as the collector counts. Without a proof
  # allocations are watched by the VM's event.
  module AllocationProof
    # Set to "fail" by tests: as if the watch had missed an object.
    VARIABLE = "RPERF_ALLOCATION_PROOF"
    # Other Ractors that allocate between the readings of two counters spoil a try.
    TRIES = 3

    @proved = nil

    module_function

    # Runs the proof unless it has been run. Returns whether the direct watch is proved.
    def ensure
      return @proved unless @proved.nil?
      @proved = false
      load(File.join(__dir__, "allocation_proof", "objects.rb"), true) unless ENV[VARIABLE] == "fail"
      @proved
    rescue Error # This Ruby's calls cannot be watched.
      false
    end

    # The proof: the objects that the block makes are all seen.
    def compare(&objects)
      @proved = TRIES.times.any? do
        seen, allocated, due = Native.watch_allocations(1, &objects)
        [allocated, due].all?(seen)
      end
    end
  end
end
