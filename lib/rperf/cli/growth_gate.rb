# frozen_string_literal: true

require_relative "selection"

module Rperf
  class CLI
    # `--fail-above PERCENT`: the exit status says whether something grew by more than that.
    class GrowthGate
      # values: those of the command's options; fail_above: a share of the base's total in percent,
      #   a Float; nil lets
      #         everything pass
      def initialize(values)
        @percent = values[:fail_above]
        @selection = Selection.new(values)
      end

      # Names what grew in a Subject with a base, a line each on stderr. Returns the exit status.
      def check(subject)
        return 0 unless @percent
        grown, by_chance = @selection.growth(subject, @percent)
        [*grown, *by_chance].each { |line| $stderr.puts("rperf: #{line}") }
        grown.empty? ? 0 : Failure::GROWN
      end
    end
  end
end
