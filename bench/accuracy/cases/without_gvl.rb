# frozen_string_literal: true

module Accuracy
  module Cases
    # CPU burnt with the GVL released belongs to the method that released it, in both modes.
    class WithoutGvl < Case
      title "CPU without the GVL"
      measures :burn_without_gvl
      ruby_work :ruby_between, ns: 2_000_000

      def turn
        charge(:burn_without_gvl, Workloads.burn_without_gvl(3_000_000))
        ruby_between
      end
    end
  end
end
