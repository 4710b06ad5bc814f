# frozen_string_literal: true

module Rperf
  class Agent
    # State of a destination, by its last answer. Each change is one line of the log. What is lost
    # meanwhile is one line an hour.
    class Health
      # Sentences of the log by kind of answer; the server's words are put into them.
      SENTENCES = {
        unreachable: "%s does not answer (%s); profiles wait for it",
        later: "%s takes nothing now (%s); profiles wait for it",
        once_more: "%s has failed (%s); the profile is sent once more",
        unauthorized: "%s refuses the credentials (%s); check them: the next attempt is in five minutes",
        wrong_address: "%s does not know this path (%s): is it the wrong address? The next attempt is in ten minutes",
        too_large: "%s finds a profile too large (%s); half of it is sent",
        rejected: "%s refuses a profile (%s); it is dropped"
      }.freeze
      # Kinds of answers after which other profiles may well be taken.
      WELL = %i[sent rejected too_large].freeze
      # Minimum time between two lines about the same loss, in seconds.
      HOUR = 3600

      # The last error: a text, or nil.
      attr_reader :last_error
      # The time at which a profile arrived last: a Time, or nil.
      attr_reader :last_success

      # name: name of the destination; log: an object with `info` and `warn`
      def initialize(name, log)
        @name = name
        @log = log
        @state = :sent
        @told = {}
      end

      # Whether the destination does not answer, or refuses everything.
      def troubled? = !WELL.include?(@state)

      # Takes the next Answer of the destination.
      def note(answer)
        answer.kind == :sent ? @last_success = Time.now : @last_error = answer.text
        was_troubled, before, @state = troubled?, @state, answer.kind
        return was_troubled && @log.info("rperf: profiles reach #{@name} again") if @state == :sent
        return if troubled? ? before == @state : told_lately?(@state)
        @log.warn("rperf: #{format(SENTENCES.fetch(@state), @name, answer.text)}")
      end

      # Reports a loss, which no answer alone tells.
      def lost(text)
        @log.warn("rperf: #{@name}: #{text}") unless told_lately?(text)
      end

      # Reports that the agent ends, since it failed too often itself.
      def broken(error)
        @last_error = "#{error.class}: #{error.message}"
        @log.warn("rperf: the agent ends after an error of its own: #{@last_error}")
      end

      private

      def told_lately?(loss)
        now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        return true if @told[loss]&.>(now - HOUR)
        @told[loss] = now
        false
      end
    end
  end
end
