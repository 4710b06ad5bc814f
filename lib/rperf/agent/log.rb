# frozen_string_literal: true

require_relative "../errors"

module Rperf
  class Agent
    # The agent's log: the logger that is given, else the application's, else stderr. A logger that
    # fails does not disturb the program.
    class Log
      # logger: an object with `info` and `warn`; nil: that of Rails, else stderr
      def initialize(logger)
        @logger = logger || (::Rails.logger if defined?(::Rails.logger))
      end

      # Logs one line.
      def info(text) = say(:info, text)
      # Logs one line about a failure.
      def warn(text) = say(:warn, text)

      private

      def say(method, text)
        @logger ? @logger.public_send(method, text) : Error.say("#{text}\n")
      rescue StandardError
        nil
      end
    end
  end
end
