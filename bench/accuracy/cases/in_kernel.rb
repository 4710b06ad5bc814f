# frozen_string_literal: true

module Accuracy
  module Cases
    # System time: a C method that is in system calls nearly all the time.
    class InKernel < Case
      title "C in the kernel 2 ms + Ruby 2 ms"
      measures :burn_in_kernel
      ruby_work :ruby_between, ns: 2_000_000

      def turn
        charge(:burn_in_kernel, Workloads.burn_in_kernel(2_000_000))
        ruby_between
      end
    end
  end
end
