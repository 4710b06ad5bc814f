# frozen_string_literal: true

require_relative "growth_gate"
require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # `rperf diff`: what changed from one profile to another.
    class Diff
      def initialize(values, words)
        @values = values
        @words = words
      end

      # Shows the difference; returns the exit status.
      def call
        check_words
        base, target = @words
        subject = Subject.new([target], base:, values: @values)
        gate = GrowthGate.new(@values)
        status = View.show("diff", @values, subject)
        status.zero? ? gate.check(subject) : status
      end

      private

      def check_words
        return if @words.length == 2
        raise Failure.usage("'rperf diff' compares two files, base and target, but got #{@words.length}")
      end
    end
  end
end
