# frozen_string_literal: true

module Rperf
  class Agent
    # Where the agent says what changed, when it is not told: the application's log, else stderr.
    class Log
      # A logger that the application has, or one of these.
      def self.choose(given)
        given || (::Rails.logger if defined?(::Rails.logger)) || new
      end

      # One line.
      def info(text) = $stderr.puts(text)
      alias warn info
    end
  end
end
