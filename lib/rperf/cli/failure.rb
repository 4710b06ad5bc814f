# frozen_string_literal: true

module Rperf
  class CLI
    # One sentence for stderr and the exit status that goes with it: 2 for a command line that makes
    # no sense, 1 for everything else.
    class Failure < StandardError
      USAGE = 2

      # `rperf diff --fail-above`: apart from 1 and 2, which say that rperf could not do what was
      # asked.
      GROWN = 3

      # A command line that makes no sense.
      def self.usage(message) = new(message, status: USAGE)

      # An option about the file, where there is none. option: its long name
      def self.no_file(option) = usage("--#{option} is for the file, and none is written: add -o PATH, or leave out --#{option}")

      attr_reader :status

      def initialize(message, status: 1)
        super(message)
        @status = status
      end
    end
  end
end
