# frozen_string_literal: true

require_relative "export"
require_relative "runner"

module Rperf
  class CLI
    # `rperf merge`: writes several profiles as one.
    class Merge < Runner
      # Writes the file; returns the exit status.
      def call
        raise Failure.usage("'rperf merge' needs the profiles to merge") if @words.empty?
        raise Failure.usage("'rperf merge' needs the file to write: -o PATH") unless @values[:output]
        Export.new(@values[:output], format: @values[:format], idle: idle?).write_unfiltered(Subject.new(@words, values: @values).profile)
      end
    end
  end
end
