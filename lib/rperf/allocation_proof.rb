# frozen_string_literal: true

require_relative "native"

module Rperf
  # Proves, once in a process, that the direct watch of allocations sees every object: it makes
  # objects of every kind, and as many must be seen as the collector counts. Without a proof
  # allocations are watched by the VM's event.
  module AllocationProof
    # Set to "fail" by tests: as if the watch had missed an object.
    VARIABLE = "RPERF_ALLOCATION_PROOF"
    # Other Ractors that allocate between the readings of two counters spoil a try: beside two that
    # do nothing else one in two is.
    TRIES = 10

    @proved = nil

    module_function

    # Whether a session with these options watches allocations directly. Raises Rperf::Error where
    # that was asked for and is not proved.
    def direct?(options)
      return false if options[:watch] == :event
      return true if self.ensure
      return false unless options[:watch]
      raise Error, "watch: :direct (--watch direct) is not possible here: rperf does not see every object that this Ruby " \
                   "allocates; leave it out for the VM's event, which costs more"
    end

    # Runs the proof unless it has been run. Returns whether the direct watch is proved. Raises
    # Rperf::Error in a session that watches by the event.
    def ensure
      return @proved unless @proved.nil?
      return @proved = false if ENV[VARIABLE] == "fail"
      load(File.join(__dir__, "allocation_proof", "objects.rb"), true)
      @proved
    end

    # The proof: the objects that the block makes are all seen. The collector counts fewer than
    # there are where several Ractors allocate at once: its counters are plain words.
    def compare(&objects)
      @proved = TRIES.times.any? do
        seen, allocated = Native.watch_allocations(&objects)
        seen && (seen == allocated || (seen > allocated && Ractor.count > 1))
      end
    end
  end
end
