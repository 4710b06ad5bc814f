# frozen_string_literal: true

module Stress
  module Hazards
    # Methods that appear, change and go while they are on the stack: eval, define_method,
    # refinements, unbind, alias, remove_method, $~. What is made here has a name that begins with
    # "generated_".
    class ChangingMethods
      # A place for methods that come and go.
      class Victim
      end

      def run(end_ns)
        number = 0
        until Workloads.monotonic_ns >= end_ns
          number += 1
          by_eval(number)
          by_define_method(number)
          by_unbind
          by_match
          by_refinement(number)
          redefine_while_running(number)
        end
      end

      def by_eval(number)
        name = "generated_eval_#{number % 50}"
        Victim.class_eval("def #{name} = Workloads.spin(3_000)")
        Victim.new.public_send(name)
        eval("Workloads.spin(2_000)", binding, "generated_#{number % 50}.rb", 1)
        Victim.remove_method(name)
      end

      def by_define_method(number)
        name = :"generated_block_#{number % 50}"
        Victim.define_method(name) { Workloads.spin(3_000) }
        Victim.alias_method(:generated_alias, name)
        Victim.new.generated_alias
        Victim.remove_method(name)
        Victim.undef_method(:generated_alias)
      end

      def by_unbind
        spinning = Workloads.method(:spin).unbind
        spinning.bind_call(Workloads, 2_000)
        method(:spin_twice).unbind.bind(self).call
      end

      # The frame refers to an object of this call, which refers to the method entry.
      def by_match = "spin" =~ /(.)\z/ && 2.times { Workloads.spin(1_000) }

      def spin_twice = 2.times { Workloads.spin(1_000) }

      def by_refinement(number)
        refinement = Module.new { refine(Integer) { def generated_refined = Workloads.spin(2_000) } }
        name = "generated_refinement_#{number % 50}"
        Hazards.const_set(name.capitalize, refinement)
        using_it = "module Generated#{number % 50}; using Stress::Hazards::#{name.capitalize}; 1.generated_refined; end"
        # The next `using` makes the call cache invalid. If a word on the stack still refers to it
        # when objects move, Ruby 3.4 aborts at the next collection, also without rperf (mended in
        # Ruby 4.0: https://github.com/ruby/ruby/pull/14135). The stack of a thread goes with it.
        Thread.new { eval(using_it, TOPLEVEL_BINDING) }.join
      ensure
        Hazards.send(:remove_const, name.capitalize)
      end

      def redefine_while_running(number)
        Victim.class_eval(<<~RUBY)
          def generated_again
            Victim.class_eval("def generated_again = Workloads.spin(#{number})") if #{number.odd?}
            Victim.remove_method(:generated_again)
            Workloads.spin(5_000)
            GC.start(full_mark: false)
          end
        RUBY
        Victim.new.generated_again
      end
    end
  end
end
