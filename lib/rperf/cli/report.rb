# frozen_string_literal: true

require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # `rperf report`: looks at one profile, or at several as one.
    class Report
      # What `rperf record` writes, also of several modes, and what it wrote in version 0.9.
      DEFAULT_FILES = COMMANDS.fetch("record").defaults.fetch(:output).then do |name|
        [name, *Formats.paths(name, Formats.modes), "rperf.json.gz"].freeze
      end

      def initialize(values, words)
        @values = values
        @words = words
      end

      # Shows the profile; returns the exit status.
      def call
        View.show("report", @values, Subject.new(@words.empty? ? [default_file] : @words, values: @values))
      end

      private

      # The newest of those that are there.
      def default_file = DEFAULT_FILES.select { |name| File.exist?(name) }.max_by { |name| File.mtime(name) } || DEFAULT_FILES.first
    end
  end
end
