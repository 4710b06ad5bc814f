# frozen_string_literal: true

module Accuracy
  module Cases
    # Four threads that all want the GVL. In wall mode each thread's whole life counts, most of it
    # waiting, and the main thread waits for all of them.
    class Contending < Case
      title "four contending threads"
      one_thread_each true
      measures :c_in_a, :c_in_b, :c_in_c, :c_in_d, :wait_for_all
      ruby_work :ruby_in_a, ns: 1_500_000
      ruby_work :ruby_in_b, ns: 900_000
      ruby_work :ruby_in_c, ns: 600_000
      ruby_work :ruby_in_d, ns: 2_500_000

      # A thread may give up the GVL when the C method returns, after that method read its clock. So
      # the Ruby method around it measures. Its loop lets the thread give up the GVL before the
      # clock is read.
      %w[a b c d].each do |name|
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def c_in_#{name}
            start = Workloads.clock_ns
            Workloads.burn_#{name}(1_000_000)
            left = 2
            left -= 1 while left > 0
            charge(:c_in_#{name}, Workloads.clock_ns - start)
          end
        RUBY
      end

      def turns
        wait_for_all [
          working_thread { c_in_a; ruby_in_a },
          working_thread { c_in_b; ruby_in_b },
          working_thread { c_in_c; ruby_in_c },
          working_thread { c_in_d; ruby_in_d }
        ]
      end

      def wait_for_all(threads)
        clocked(:wait_for_all) { threads.each(&:join) }
      end
    end
  end
end
