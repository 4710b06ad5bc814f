# frozen_string_literal: true

require_relative "compilers"
require_relative "first_use"
require_relative "native"

module Rperf
  # Proves, once in a process, that the direct watch of allocations sees every object: it makes
  # objects of each kind, and compares the number of objects seen with the collector's count.
  # Without a proof allocations are watched by the VM's event.
  module AllocationProof
    # Set to "fail" by tests, as if the watch had missed an object.
    VARIABLE = "RPERF_ALLOCATION_PROOF"
    # Maximum number of tries. A try fails if other Ractors allocate between the readings of two
    # counters: every second one, beside two Ractors that do nothing else.
    TRIES = 10

    @proved = nil

    module_function

    # Returns whether a session with these options watches allocations directly. Raises Rperf::Error
    # if this was requested and is not proved, and if a mode is not possible.
    def direct?(options)
      check_heap if Array(options[:mode]).include?(:heap)
      return false if options[:watch] == :event
      return true if self.ensure
      return false unless options[:watch]
      raise Error, "watch: :direct (--watch direct) is not possible here: rperf does not see every object that this Ruby " \
                   "allocates; leave it out for the VM's event, which costs more"
    end

    # Raises Rperf::Error unless one collector, as in Rubies up to 4.0, knows which objects live.
    def check_heap
      return unless GC.method(:start).parameters.include?([:key, :global])
      raise Error, "mode: :heap (-m heap) is not possible here: in this Ruby each Ractor has a collector of its own, of which " \
                   "rperf is not told; mode: :alloc (-m alloc) shows who allocates"
    end

    # Runs the proof unless it has been run. Returns whether the direct watch is proved. Raises
    # Rperf::Error in a session that watches by the event, and if its file cannot be loaded.
    def ensure
      FirstUse.prepare { run if @proved.nil? } if @proved.nil?
      @proved
    end

    def run
      # ZJIT allocates in its own code, immediately or later.
      return @proved = false if ENV[VARIABLE] == "fail" || Compilers.on?("ZJIT")
      load(File.join(__dir__, "allocation_proof", "objects.rb"), true)
    end
    private_class_method :run

    # Runs the proof: all objects that the block makes must be seen. If several Ractors allocate at
    # once, the collector counts too few objects: its counters are plain words.
    def compare(&objects)
      @proved = TRIES.times.any? do
        seen, allocated = Native.watch_allocations(&objects)
        seen && (seen == allocated || (seen > allocated && Ractor.count > 1))
      end
    end
  end
end
