# frozen_string_literal: true

module Accuracy
  module Cases
    # Two Ractors that compute from start to end, while the main Ractor waits.
    class TwoRactors < Case
      title "two Ractors that compute"
      error_bar 0.03, busy: 0.03
      one_thread_each true

      # The methods of each Ractor: {method => [ns, body]}.
      WORKS = [
        { loop_in_one: [1_500_000, :loop], blocks_in_one: [800_000, :block] },
        { calls_in_two: [1_200_000, :calls], strings_in_two: [700_000, :strings] }
      ].freeze

      # The work in a Ractor, which has no access to the case.
      class Computing
        WORKS.each { |works| works.each { |name, (_ns, body)| class_eval(RubyWork.source(name, body)) } }

        # names: methods that are called in turns. rounds: {method => rounds}.
        def initialize(names, rounds, length)
          @names = names
          @rounds = rounds
          @length = length
          @costs = names.to_h { |name| [name, 0] }
        end

        # Returns [{method => ns}, lifetime in ns].
        def run
          start = Workloads.clock_ns
          loop do
            @names.each { |name| public_send(name) }
            break if @length.over?
          end
          [@costs, Workloads.clock_ns - start]
        end

        private

        def one_less(number) = number - 1
      end

      WORKS.each { |works| works.each { |name, (ns, body)| ruby_work name, ns:, body: } }

      def initialize
        super
        # Ractors are experimental, and Ruby says so.
        Warning[:experimental] = false
      end

      def turns
        WORKS.map { |works| ractor(works.keys) }.each { |ractor| settle(*result_of(ractor)) }
      end

      private

      def ractor(names)
        rounds = names.to_h { |name| [name, @rounds[name]] }
        Ractor.new(names, rounds, @length) { |*given| Computing.new(*given).run }
      end

      # Newer Rubies have `value` in place of `take`.
      def result_of(ractor) = ractor.respond_to?(:value) ? ractor.value : ractor.take

      def settle(costs, life)
        costs.each { |name, ns| charge(name, ns) }
        @lives += life
      end
    end
  end
end
