# frozen_string_literal: true

module Rperf
  class CLI
    # A failure: one sentence for stderr and the exit status. The status is 2 for a command line
    # that makes no sense, 1 for everything else.
    class Failure < StandardError
      USAGE = 2

      # Exit status of `rperf diff --fail-above` when something grew. It differs from 1 and 2, which
      # say that rperf could not do what was asked.
      GROWN = 3

      # Returns a Failure for a command line that makes no sense.
      def self.usage(message) = new(message, status: USAGE)

      # Returns a Failure for an option about the file when none is written. option: its long name
      def self.no_file(option) = usage("--#{option} is for the file, and none is written: add -o PATH, or leave out --#{option}")

      attr_reader :status

      def initialize(message, status: 1)
        super(message)
        @status = status
      end
    end
  end
end
