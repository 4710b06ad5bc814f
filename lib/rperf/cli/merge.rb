# frozen_string_literal: true

require_relative "export"

module Rperf
  class CLI
    # `rperf merge`: writes several profiles as one.
    class Merge
      def initialize(values, words)
        @values = values
        @words = words
      end

      # Writes the file; returns the exit status.
      def call
        raise Failure.usage("'rperf merge' needs the profiles to merge") if @words.empty?
        raise Failure.usage("'rperf merge' needs the file to write: -o PATH") unless @values[:output]
        Export.new(@values[:output], format: @values[:format], idle: @values.fetch(:idle, false)).write_unfiltered(Subject.new(@words, values: @values).profile)
      end
    end
  end
end
