# frozen_string_literal: true

module Accuracy
  module Cases
    # Four threads that share native threads (M:N), compute and sleep. They may all run on one
    # native thread, whose CPU clock goes on while one of them sleeps. So in cpu mode only work
    # without a pause is measured.
    class MnThreads < Case
      title "M:N threads that compute and sleep"
      error_bar 0.03, busy: 0.03
      environment "RUBY_MN_THREADS" => "1"
      one_thread_each true
      ruby_work :compute_in_a, ns: 2_000_000, body: :loop
      ruby_work :compute_in_b, ns: 1_200_000, body: :block
      ruby_work :compute_in_c, ns: 3_000_000, body: :calls
      ruby_work :compute_in_d, ns: 700_000, body: :strings

      # A thread that loses the GVL in the middle of a call may continue on another native thread,
      # with another clock for its second reading. No call takes long enough on a quiet machine.
      def self.fits?(mode:, circumstance:, **) = mode == "wall" || !circumstance.scarce?

      NAPS = %i[nap_in_a nap_in_b nap_in_c nap_in_d].freeze

      measures(*NAPS)
      NAPS.each do |name|
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def #{name} = nap(:#{name})
        RUBY
      end

      def turns
        [
          sharing_thread { without_pause { compute_in_a } && nap_in_a },
          sharing_thread { without_pause { compute_in_b } && nap_in_b },
          sharing_thread { without_pause { compute_in_c } && nap_in_c },
          sharing_thread { without_pause { compute_in_d } && nap_in_d }
        ].each(&:join)
      end

      def truth_alone = cpu? ? costs.except(*NAPS) : costs

      private

      def cpu? = Workloads.clock == :cpu

      def sharing_thread(&turn)
        cpu? ? Thread.new { repeat(&turn) } : working_thread(&turn)
      end

      def without_pause(&)
        cpu? ? live(&) : yield
        true
      end

      def nap(name)
        cpu? ? sleep(0.002) : clocked(name) { sleep 0.002 }
      end
    end
  end
end
