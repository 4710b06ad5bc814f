# frozen_string_literal: true

module Accuracy
  module Cases
    # Four threads that share native threads (M:N), compute and sleep. They may all run on one
    # native thread, so that its CPU clock goes on while a thread of Ruby sleeps: in cpu mode only
    # what runs without a pause is measured. A thread that loses the GVL in the middle of a call may
    # go on on another native thread, and its two readings are of two clocks: where processors are
    # scarce so many calls are that each counts as the median of all.
    class MnThreads < Case
      title "M:N threads that compute and sleep"
      error_bar 0.03, busy: 0.03
      environment "RUBY_MN_THREADS" => "1"
      one_thread_each true
      ruby_work :compute_in_a, ns: 2_000_000, body: :loop
      ruby_work :compute_in_b, ns: 1_200_000, body: :block
      ruby_work :compute_in_c, ns: 3_000_000, body: :calls
      ruby_work :compute_in_d, ns: 700_000, body: :strings

      # ns that no call takes, the collector's steps included.
      LONGEST_CALL = 20_000_000

      NAPS = %i[nap_in_a nap_in_b nap_in_c nap_in_d].freeze

      measures(*NAPS)
      NAPS.each do |name|
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def #{name} = nap(:#{name})
        RUBY
      end

      def reset
        super
        @calls = Hash.new { |calls, name| calls[name] = [] }
      end

      def turns
        [
          sharing_thread { compute(:compute_in_a) { compute_in_a } && nap_in_a },
          sharing_thread { compute(:compute_in_b) { compute_in_b } && nap_in_b },
          sharing_thread { compute(:compute_in_c) { compute_in_c } && nap_in_c },
          sharing_thread { compute(:compute_in_d) { compute_in_d } && nap_in_d }
        ].each(&:join)
      end

      def truth_alone = cpu? ? costs.except(*NAPS).to_h { |name, _| [name, of_calls(name)] } : costs

      # What runs around the calls is little.
      def lives = cpu? ? truth_alone.values.sum : super

      private

      def cpu? = Workloads.clock == :cpu

      def sharing_thread(&turn)
        cpu? ? Thread.new { repeat(&turn) } : working_thread(&turn)
      end

      # Only the thread of this method changes its cost.
      def compute(name)
        before = @costs[name]
        yield
        @calls[name] << @costs[name] - before
        true
      end

      # ns of all calls of the method, those of two clocks at the median.
      def of_calls(name)
        calls = @calls[name].sort
        median = calls[calls.length / 2] || 0
        calls.sum { |cost| cost.between?(0, LONGEST_CALL) ? cost : median }
      end

      def nap(name)
        cpu? ? sleep(0.002) : clocked(name) { sleep 0.002 }
      end
    end
  end
end
