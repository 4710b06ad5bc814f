# frozen_string_literal: true

module Accuracy
  module Cases
    # Like a server's request: many short system calls (CPU without the GVL), and then a wait.
    class ShortWithoutGvl < Case
      title "C without the GVL 20 us and 60 us, and waits"
      measures :write_shortly, :write_long, :wait
      ruby_work :ruby_between, ns: 300_000

      def initialize
        super
        @reading = RubyWork.cost_of { 10_000.times { Workloads.clock_ns } } / 10_000
      end

      def turn
        5.times do
          4.times { charge(:write_shortly, write_shortly) }
          charge(:write_long, write_long)
        end
        charge(:wait, wait)
        ruby_between
      end

      private

      def write_shortly = cost { Workloads.burn_without_gvl(20_000) }

      def write_long = cost { Workloads.burn_without_gvl(60_000) }

      def wait = cost { Workloads.sleep_without_gvl(500_000) }

      # Cost of the block, with giving up and taking the GVL. Half of each clock reading is outside
      # of the difference, so one reading is added: in cpu mode it is not small beside the rest.
      def cost
        started = Workloads.clock_ns
        yield
        Workloads.clock_ns - started + @reading
      end
    end
  end
end
