# frozen_string_literal: true

require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # `rperf report`: looks at one profile.
    class Report
      DEFAULT_FILE = COMMANDS.fetch("record").defaults.fetch(:output)

      def initialize(values, words)
        @values = values
        @words = words
      end

      # Shows the profile; returns the exit status.
      def call
        raise Failure.usage("'rperf report' reads one file, but #{@words.length} were given") if @words.length > 1
        View.show("report", @values, Subject.new(@words.first || DEFAULT_FILE))
      end
    end
  end
end
