# frozen_string_literal: true

module Accuracy
  module Cases
    # Sleeping as Ruby's own methods do, with the GVL given up.
    class SleepWithoutGvl < Case
      title "sleep without the GVL"
      measures :sleep_without_gvl
      ruby_work :ruby_between, ns: 2_000_000

      def turn
        charge(:sleep_without_gvl, Workloads.sleep_without_gvl(3_000_000))
        ruby_between
      end
    end
  end
end
