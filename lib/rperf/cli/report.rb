# frozen_string_literal: true

require_relative "export"
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
        file = @words.first || DEFAULT_FILE
        return Export.new(Export::STDOUT, format: @values[:view]).write([file]) if Export::VIEWS.include?(@values[:view])
        View.for("report", @values).show(file)
      end
    end
  end
end
