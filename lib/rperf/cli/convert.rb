# frozen_string_literal: true

require_relative "export"
require_relative "runner"

module Rperf
  class CLI
    # `rperf convert`: writes a profile in another format.
    class Convert < Runner
      # Writes the file; returns the exit status.
      def call
        unless @words.length == 2
          raise Failure.usage("'rperf convert' needs two names, the profile and the file to write, but got #{@words.length}")
        end
        input, output = @words
        Export.new(output, format: @values[:format], idle: idle?).write_unfiltered(Subject.new([input], values: @values).profile)
      end
    end
  end
end
