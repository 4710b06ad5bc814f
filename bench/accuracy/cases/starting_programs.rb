# frozen_string_literal: true

module Accuracy
  module Cases
    # A large process that starts others: the system copies its page tables for each.
    class StartingPrograms < Case
      title "starting programs and children"
      measures :start_program, :make_child
      ruby_work :ruby_between, ns: 1_000_000

      OBJECTS = 200_000
      NOTHING = "true"

      def initialize
        super
        @kept = Array.new(OBJECTS) { |number| "#{number} #{"x" * 200}" }
      end

      def start_program
        clocked(:start_program) { system(NOTHING) }
      end

      def make_child
        clocked(:make_child) { Process.wait(fork { exit!(0) }) }
      end

      def turn
        start_program
        ruby_between
        make_child
        ruby_between
      end
    end
  end
end
