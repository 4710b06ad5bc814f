# frozen_string_literal: true

module Accuracy
  module Cases
    # Millions of calls of equal cost, in uneven proportions. They are too short to be clocked one
    # by one, so the truth is the number of calls, and shares are compared. Most of each call is the
    # same machine code, one chain of dependent instructions: the ten differ by 4 % under YJIT,
    # measured by leaving each out in turn.
    class EqualCalls < Case
      title "equal calls, uneven proportions"
      error_bar 0.05

      # Method number n is called n times in a turn, in an order without a pattern.
      NAMES = (1..10).map { |n| :"equal_#{n}" }.freeze
      ORDER = NAMES.flat_map.with_index(1) { |name, n| [name] * n }.shuffle(random: Random.new(5)).freeze
      TURNS_AT_ONCE = 100
      SHARE_TOLERANCE = 0.05

      # A wait for a processor takes milliseconds and counts for the method that waits. The number
      # of calls does not say which method that was.
      def self.fits?(mode:, circumstance:, **) = mode == "cpu" || !circumstance.scarce?

      measures(*NAMES)
      NAMES.each do |name|
        class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
          def #{name} = Workloads.spin(300)
        RUBY
      end
      class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
        def turn
          #{TURNS_AT_ONCE}.times { #{ORDER.join("; ")} }
          @turns += #{TURNS_AT_ONCE}
        end
      RUBY

      def reset
        super
        @turns = 0
      end

      def truth(attribution)
        total = attribution.by_method.values.sum
        # Where nothing was reported the truth must not be 0.
        total.positive? ? shares_of(total) : truth_alone
      end

      def truth_alone = shares_of(lives)

      def perfect_samples
        one_call = lives / ORDER.size
        NAMES.map { |name| perfect_sample(name, ORDER.count(name) * one_call) }
      end

      def shares_of(total) = NAMES.to_h { |name| [name, ORDER.count(name) * total / ORDER.size.to_f] }

      # The loop around the calls takes little time: most of the life must be found in the methods.
      def checks(attribution)
        comparison = Comparison.new(truth: truth(attribution), reported: attribution.by_method)
        distance = Check.new(name: "share of the method that is furthest off", truth: lives,
                             reported: lives * (1 + comparison.largest_share_distance), tolerance: SHARE_TOLERANCE)
        found = Check.new(name: "time found in the methods", truth: lives,
                          reported: attribution.by_method.values.sum, tolerance: 0.25)
        super.push(distance, found)
      end
    end
  end
end
