# frozen_string_literal: true

module Rperf
  class Agent
    # Time to wait after failures in a row: a random part of a time that doubles, so that many
    # processes do not come back at once.
    class Backoff
      # Upper limit of the first wait, and of all waits, in seconds.
      FIRST = 1.0
      LONGEST = 60.0

      def initialize(random: Random.new)
        @random = random
        @failures = 0
      end

      # Whether something has failed since the last success.
      def active? = @failures.positive?

      # Counts a failure. Returns the seconds to wait: those that the server wants, or the random
      # part where it is longer.
      def failed(wanted = nil)
        @failures += 1
        [wanted.to_i, @random.rand * [FIRST * 2**[@failures - 1, 10].min, LONGEST].min].max
      end

      # Counts a success, which ends the failures in a row.
      def succeeded = @failures = 0
    end
  end
end
