# frozen_string_literal: true

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
        unless @words.length == 2
          raise Failure.usage("'rperf diff' compares two files, base and target, but #{@words.length} were given")
        end
        base, target = @words
        View.for("diff", @values).show([target], base:)
      end
    end
  end
end
