# frozen_string_literal: true

module Accuracy
  module Cases
    # Stacks of alternating C and Ruby frames, about ninety deep: iterators, instance_eval, send,
    # methods made by define_method, and method_missing.
    class MixedFrames < Case
      title "deep mixes of C and Ruby frames"
      ruby_work :nest_iterators, ns: 700_000, body: "(left / 500 + 1).times { iterate(12) }"
      ruby_work :nest_dynamic_calls, ns: 900_000, body: "(left / 500 + 1).times { call_dynamically(12) }"
      ruby_work :work_at_depth, ns: 800_000
      ruby_work :work_above, ns: 400_000, body: :block

      DEPTH = 15

      def turn
        descend(DEPTH)
        work_above
        nest_dynamic_calls
      end

      private

      def descend(depth)
        return work_below if depth.zero?

        [depth].each { |number| { number => 1 }.map { |key, _one| instance_eval { send(:made_by_define_method, key - 1) } } }
      end

      define_method(:made_by_define_method) { |depth| descend(depth) }

      def work_below
        work_at_depth
        nest_iterators
      end

      def iterate(depth)
        return depth if depth.zero?

        [1, 2].each { |one| [one].map { |two| [two].inject(0) { |sum, number| sum + number } } }
        [depth].inject(0) { |sum, number| sum + iterate(number - 1) }
      end

      def call_dynamically(depth)
        return depth if depth.zero?

        instance_eval { depth.odd? ? send(:answer_dynamically, depth) : not_defined(depth) }
      end

      define_method(:answer_dynamically) { |depth| call_dynamically(depth - 1) }

      def method_missing(name, depth)
        name == :not_defined ? call_dynamically(depth - 1) : super
      end

      def respond_to_missing?(name, include_private = false) = name == :not_defined || super
    end
  end
end
