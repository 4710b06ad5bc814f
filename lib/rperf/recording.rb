# frozen_string_literal: true

require_relative "native"
require_relative "formats"
require_relative "output_file"

module Rperf
  # What Ruby keeps for one session: its options, and what is to be done with its data.
  # The native part owns the session itself.
  class Recording
    attr_reader :options

    def initialize(options)
      @options = options
    end

    # Writes the output file and the statistics, as far as the options ask for them.
    def deliver(data)
      report(data) if @options[:verbose]
      write(data) if @options[:output]
    end

    private

    def write(data)
      path = @options[:output]
      OutputFile.new(path).write(Formats.encode(data, path, @options[:format]))
    end

    def report(data)
      require_relative "statistics"
      $stderr.write(Statistics.new(data).to_s)
    end
  end
end
