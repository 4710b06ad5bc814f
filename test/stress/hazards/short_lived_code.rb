# frozen_string_literal: true

module Stress
  module Hazards
    # Classes and iseqs that are garbage as soon as they have run.
    class ShortLivedCode
      def run(end_ns)
        until Workloads.monotonic_ns >= end_ns
          20.times { |i| anonymous_class(i) }
          20.times { |i| compiled(i) }
          GC.start
        end
      end

      def anonymous_class(number)
        Class.new do
          define_method(:generated_instance) { Workloads.spin(number * 500) }
          class_eval("def generated_text = Workloads.spin(2_000)")
          def self.generated_singleton = Workloads.spin(2_000)
        end.then do |anonymous|
          anonymous.new.generated_instance
          anonymous.new.generated_text
          anonymous.generated_singleton
        end
      end

      def compiled(number)
        RubyVM::InstructionSequence.compile("#{number}.times { Workloads.spin(500) }", "generated.rb").eval
      end
    end
  end
end
