# frozen_string_literal: true

module Rperf
  class Agent
    # How long to wait after so many failures: a random part of a time that doubles, so that many
    # processes do not come back at once.
    class Backoff
      # Seconds: the first longest wait, and the last.
      FIRST = 1.0
      LONGEST = 60.0

      def initialize(random: Random.new)
        @random = random
        @failures = 0
      end

      # Whether something has failed since the last success.
      def active? = @failures.positive?

      # Something failed again. Returns the seconds to wait: those that the server wants, if it said
      # so, and were it none, no less than without its word.
      def failed(wanted = nil)
        @failures += 1
        [wanted.to_i, @random.rand * [FIRST * 2**[@failures - 1, 10].min, LONGEST].min].max
      end

      # It works again.
      def succeeded = @failures = 0
    end
  end
end
