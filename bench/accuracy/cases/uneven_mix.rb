# frozen_string_literal: true

module Accuracy
  module Cases
    # Ten methods of 40 us to 3 ms, in C and in Ruby of several styles, in an order without a
    # pattern.
    class UnevenMix < Case
      title "ten methods, uneven"
      measures :burn_a, :burn_b, :burn_c, :burn_d, :burn_e
      ruby_work :ruby_loop, ns: 40_000, body: :loop
      ruby_work :ruby_block, ns: 150_000, body: :block
      ruby_work :ruby_calls, ns: 450_000, body: :calls
      ruby_work :ruby_strings, ns: 1_200_000, body: :strings
      ruby_work :ruby_long_loop, ns: 2_500_000, body: :loop

      ORDER = Random.new(3).then { |random| Array.new(100) { [*0..9].shuffle(random:) }.flatten }.freeze

      def initialize
        super
        @at = 0
      end

      def turn
        @at = (@at + 1) % ORDER.size
        case ORDER[@at]
        when 0 then ruby_loop
        when 1 then ruby_block
        when 2 then ruby_calls
        when 3 then ruby_strings
        when 4 then ruby_long_loop
        else c_turn(ORDER[@at])
        end
      end

      private

      def c_turn(which)
        case which
        when 5 then charge(:burn_a, Workloads.burn_a(70_000))
        when 6 then charge(:burn_b, Workloads.burn_b(250_000))
        when 7 then charge(:burn_c, Workloads.burn_c(700_000))
        when 8 then charge(:burn_d, Workloads.burn_d(1_700_000))
        else charge(:burn_e, Workloads.burn_e(3_100_000))
        end
      end
    end
  end
end
