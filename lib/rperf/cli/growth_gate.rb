# frozen_string_literal: true

require_relative "selection"

module Rperf
  class CLI
    # `--fail-above PERCENT`: the exit status says whether a function grew by more than that share.
    class GrowthGate
      # values: the values of the command's options; fail_above: a share of the base's total in
      # percent, a Float; with nil every difference passes
      def initialize(values)
        @percent = values[:fail_above]
        @selection = Selection.new(values)
      end

      # Prints a line to stderr for each function that grew. Returns the exit status.
      def check(subject)
        return 0 unless @percent
        grown, by_chance = @selection.growth(subject, @percent)
        [*grown, *by_chance].each { |line| Error.complain(line) }
        grown.empty? ? 0 : Failure::GROWN
      end
    end
  end
end
