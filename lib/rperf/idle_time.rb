# frozen_string_literal: true

require_relative "numbers"

module Rperf
  # The time in which threads waited for work, which summaries leave out: see docs/reports.md.
  class IdleTime
    # What is left out, in a line without line break; nil where nothing is.
    attr_reader :line

    # profile: a Native::Profile
    # shown:   whether nothing is to be left out
    def initialize(profile, shown: false)
      @profile = profile
      @line, @threads, @idle_ns = profile.idle unless shown
    end

    # The Native::Profile of all other time.
    def rest = @rest ||= line ? @profile.without_idle : @profile

    # What is left out, as part of a sentence: "1.63 s idle in 5 threads"; nil where nothing is.
    def fact = ("#{Numbers.duration(@idle_ns)} idle in #{Numbers.counted(@threads, "thread")}" if line)
  end
end
