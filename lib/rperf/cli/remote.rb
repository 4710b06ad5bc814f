# frozen_string_literal: true

require_relative "../control/client"
require_relative "runner"

module Rperf
  class CLI
    # A command that asks a process, whose pid is its only argument.
    class Remote < Runner
      private

      # Returns the pid. Raises Failure when the words are not exactly one pid.
      def pid
        raise Failure.usage("no process was named: rperf #{name} PID ('rperf ps' lists them)") if @words.empty?
        raise Failure.usage("'rperf #{name}' takes one process, but #{@words.length} words were given") if @words.length > 1
        number = Integer(@words.first, 10, exception: false)
        return number if number&.positive?
        raise Failure.usage("'#{@words.first}' is no number of a process ('rperf ps' lists them)")
      end

      # The Control::Client of the process. Raises Rperf::Error.
      def client = @client ||= Control::Client.of(pid)
    end
  end
end
