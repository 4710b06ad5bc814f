# frozen_string_literal: true

require_relative "numbers"

module Rperf
  # The time in which threads waited for work. Summaries leave it out: see docs/reports.md.
  class IdleTime
    # Description of the time that is left out, without a line break; nil if none is.
    attr_reader :line

    # profile: a Native::Profile
    # shown:   whether no time is left out
    def initialize(profile, shown: false)
      @profile = profile
      @line, @threads, @idle_ns = profile.idle unless shown
    end

    # Returns the Native::Profile of all other time.
    def rest = @rest ||= line ? @profile.without_idle(nil).first : @profile

    # Returns the time that is left out as words: "1.63 s idle in 5 threads"; nil if none is.
    def fact = ("#{Numbers.duration(@idle_ns)} idle in #{Numbers.counted(@threads, "thread")}" if line)
  end
end
