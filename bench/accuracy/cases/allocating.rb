# frozen_string_literal: true

module Accuracy
  module Cases
    # Allocates hard: the GC runs much of the time, and its time belongs to the method that it interrupts.
    class Allocating < Case
      title "hard allocation"
      measures :allocate_strings, :allocate_trees
      ruby_work :ruby_between, ns: 2_000_000

      def initialize
        super
        # Something to mark.
        @kept = Array.new(200_000) { |i| [i.to_s] }
      end

      def turn
        allocate_strings
        allocate_trees
        ruby_between
      end

      # Ruby counts its GC time in CPU time of the process, a profile in wall time: on a machine that has other
      # things to do the wall time is longer, by as much as that of the whole run.
      def run(seconds)
        gc = GC.total_time
        cpu = Workloads.process_cpu_ns
        wall = Workloads.monotonic_ns
        super
        stretch = (Workloads.monotonic_ns - wall) / (Workloads.process_cpu_ns - cpu).to_f
        @gc_ns = ((GC.total_time - gc) * [stretch, 1.0].max).round
      end

      def perfect_samples
        gc = [["<GC>", "[GC marking]"]]
        super.push(perfect_sample(:allocate_strings, @gc_ns, leaf: gc), perfect_sample(:allocate_strings, -@gc_ns))
      end

      def checks(attribution)
        super << Check.new(name: "GC time", truth: @gc_ns, reported: attribution.synthetic("[GC "), tolerance: 0.10)
      end

      def allocate_strings
        start = Workloads.clock_ns
        10_000.times { |i| "string number #{i}, long enough not to be embedded in its slot" * 2 }
        charge(:allocate_strings, Workloads.clock_ns - start)
      end

      def allocate_trees
        start = Workloads.clock_ns
        8_000.times { |i| { left: [i, [i]], right: { leaf: i.to_s } } }
        charge(:allocate_trees, Workloads.clock_ns - start)
      end
    end
  end
end
