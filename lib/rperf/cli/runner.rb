# frozen_string_literal: true

require_relative "../errors"
require_relative "failure"

module Rperf
  class CLI
    # What runs a command: `call` does its work, and returns the exit status.
    class Runner
      # values: the values of the command's options; words: its arguments
      def initialize(values, words)
        @values = values
        @words = words
      end

      private

      # The name of the command.
      def name = self.class.name[/\w+\z/].downcase

      # Whether the time in which threads waited for work counts.
      def idle? = @values.fetch(:idle, false)

      # Says a sentence on stderr. Where stderr is closed, the exit status still counts.
      def note(sentence) = Error.complain(sentence)
    end
  end
end
