# frozen_string_literal: true

module Rperf
  class Agent
    # How a destination is: as its last answer says. Each change is one line of the log; that it
    # refuses profiles, while others arrive, is one in an hour.
    class Health
      # What the log says of an answer; the words that follow are the server's.
      SENTENCES = {
        unreachable: "%s does not answer (%s); profiles wait for it",
        later: "%s takes nothing now (%s); profiles wait for it",
        once_more: "%s has failed (%s); the profile is sent once more",
        unauthorized: "%s refuses the credentials (%s); check them: the next attempt is in five minutes",
        wrong_address: "%s does not know this path (%s): is it the wrong address? The next attempt is in ten minutes",
        too_large: "%s finds a profile too large (%s); half of it is sent",
        rejected: "%s refuses a profile (%s); it is dropped"
      }.freeze
      # In these, others may well be taken.
      WELL = %i[sent rejected too_large].freeze
      # Seconds.
      HOUR = 3600

      # What went wrong last: a text, or nil.
      attr_reader :last_error
      # When a profile arrived last: a Time, or nil.
      attr_reader :last_success

      # name: that of the destination; log: an object with `info` and `warn`
      def initialize(name, log)
        @name = name
        @log = log
        @state = :sent
        @told = {}
      end

      # Whether the destination does not answer, or refuses everything.
      def troubled? = !WELL.include?(@state)

      # There was this Answer.
      def note(answer)
        answer.kind == :sent ? @last_success = Time.now : @last_error = answer.text
        was_troubled, before, @state = troubled?, @state, answer.kind
        return was_troubled && @log.info("rperf: profiles reach #{@name} again") if @state == :sent
        return if troubled? ? before == @state : told_lately?
        @log.warn("rperf: #{format(SENTENCES.fetch(@state), @name, answer.text)}")
      end

      # The agent itself failed, so often that it ends.
      def broken(error)
        @last_error = "#{error.class}: #{error.message}"
        @log.warn("rperf: the agent ends after an error of its own: #{@last_error}")
      end

      private

      def told_lately?
        now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        return true if @told[@state]&.>(now - HOUR)
        @told[@state] = now
        false
      end
    end
  end
end
