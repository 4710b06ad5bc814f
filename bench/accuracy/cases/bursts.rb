# frozen_string_literal: true

module Accuracy
  module Cases
    # Short bursts of work between waits, as in a program that queries a database. The work just
    # after a wait costs as much as the work just before the next one.
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
