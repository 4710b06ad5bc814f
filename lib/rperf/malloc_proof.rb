# frozen_string_literal: true

require_relative "first_use"
require_relative "native"

module Rperf
  # Proves, once in a process, that rperf sees the memory that Ruby takes from malloc(3): blocks of
  # known sizes are taken and freed, and all their bytes must be seen.
  module MallocProof
    # Set to "fail" by tests, as if a block had been missed.
    VARIABLE = "RPERF_MALLOC_PROOF"

    @proved = nil

    module_function

    # Raises Rperf::Error if rperf does not see all memory. direct: whether objects are watched
    # directly
    def check(direct:)
      return if direct && self.ensure
      raise Error, "malloc: true (--malloc) is not possible here: rperf does not see all memory that this Ruby takes from " \
                   "malloc; leave it out, and buffers count by the size of their objects"
    end

    # Runs the proof unless it has been run. Returns whether it holds.
    def ensure
      FirstUse.prepare { @proved = ENV[VARIABLE] != "fail" && Native.prove_malloc if @proved.nil? } if @proved.nil?
      @proved
    end
  end
end
