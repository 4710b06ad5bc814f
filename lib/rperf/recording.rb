# frozen_string_literal: true

require_relative "native"
require_relative "label_sets"
require_relative "formats"
require_relative "output_file"

module Rperf
  # What Ruby keeps for one session: its options, its label sets, and what is to be done with its data.
  # The native part owns the session itself.
  class Recording
    attr_reader :options, :labels

    def initialize(options)
      @options = options
      @labels = LabelSets.new
    end

    # Adds what Ruby knows to the data that the native part handed over. Returns the data.
    def complete(data)
      if @labels.used?
        data[:label_sets] = @labels.to_a
        data[:label_overflow_count] = @labels.overflow_count if @labels.overflow_count.positive?
      end
      data
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
