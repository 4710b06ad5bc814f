# frozen_string_literal: true

module Accuracy
  module Cases
    # Sleeping without giving up the GVL: wall time, but no CPU time and no event from the VM.
    class SleepWithGvl < Case
      title "sleep with the GVL held"
      measures :sleep_with_gvl
      ruby_work :ruby_between, ns: 2_000_000

      def turn
        charge(:sleep_with_gvl, Workloads.sleep_with_gvl(3_000_000))
        ruby_between
      end
    end
  end
end
