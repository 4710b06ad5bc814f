# frozen_string_literal: true

module Accuracy
  module Cases
    # Short bursts of work between waits, as of a program that asks a database: what runs just after
    # a wait costs as much as what runs just before the next.
    class Bursts < Case
      title "bursts between waits"
      measures :wait
      ruby_work :first_work, ns: 400_000
      ruby_work :last_work, ns: 400_000, body: :block

      def turn
        wait
        first_work
        last_work
      end

      def wait
        start = Workloads.clock_ns
        sleep 0.000_4
        charge(:wait, Workloads.clock_ns - start)
      end
    end
  end
end
