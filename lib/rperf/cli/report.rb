# frozen_string_literal: true

require_relative "view"

module Rperf
  class CLI
    # `rperf report`: looks at one profile, or at several as one.
    class Report
      DEFAULT_FILE = COMMANDS.fetch("record").defaults.fetch(:output)

      def initialize(values, words)
        @values = values
        @words = words
      end

      # Shows the profile; returns the exit status.
      def call
        View.for("report", @values).show(@words.empty? ? [DEFAULT_FILE] : @words)
      end
    end
  end
end
