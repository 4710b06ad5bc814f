# frozen_string_literal: true

module Accuracy
  module Cases
    # Allocates many objects: the GC runs much of the time, and its time belongs to the method that
    # it interrupts.
    class Allocating < Case
      title "hard allocation"
      measures :allocate_strings, :allocate_trees
      ruby_work :ruby_between, ns: 2_000_000

      def initialize
        super
        # Objects for the collector to mark.
        @kept = Array.new(200_000) { |i| [i.to_s] }
      end

      def turn
        allocate_strings
        allocate_trees
        ruby_between
      end

      # Also measures the collector's time, on the clock of the mode, by the VM's events.
      def run(seconds)
        @gc_ns = Workloads.collector_cost { super }
      end

      def perfect_samples
        gc = [["<GC>", "[GC marking]"]]
        super.push(perfect_sample(:allocate_strings, @gc_ns, leaf: gc), perfect_sample(:allocate_strings, -@gc_ns))
      end

      def checks(attribution)
        super << Check.new(name: "GC time", truth: @gc_ns, reported: attribution.synthetic("[GC "), tolerance: 0.10)
      end

      def allocate_strings
        clocked(:allocate_strings) do
          10_000.times { |i| "string number #{i}, long enough not to be embedded in its slot" * 2 }
        end
      end

      def allocate_trees
        clocked(:allocate_trees) { 8_000.times { |i| { left: [i, [i]], right: { leaf: i.to_s } } } }
      end
    end
  end
end
