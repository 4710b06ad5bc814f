# frozen_string_literal: true

module Rperf
  class Agent
    # Where the agent says what changed, when it is not told: the application's log, else stderr.
    # One that fails is no trouble of the program's.
    class Log
      # logger: what has `info` and `warn`; nil: that of Rails, else stderr
      def initialize(logger)
        @logger = logger || (::Rails.logger if defined?(::Rails.logger))
      end

      # One line.
      def info(text) = say(:info, text)
      # The same, of what went wrong.
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
