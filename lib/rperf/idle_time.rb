# frozen_string_literal: true

require_relative "numbers"

module Rperf
  # The time in which threads waited for work, which summaries leave out: see docs/reports.md.
  class IdleTime
    # profile: a Native::Profile
    # shown:   whether nothing is to be left out
    def initialize(profile, shown: false)
      @profile = profile
      @threads, @thread_ns, @idle_ns = profile.idle unless shown
    end

    # The Native::Profile of all other time.
    def rest = @threads ? @profile.without_idle : @profile

    # What is left out, in a line without line break; nil where nothing is.
    def line
      return unless @threads
      each, idle = [@thread_ns / @threads, @idle_ns].map { |time| Numbers.duration(time) }
      "#{Numbers.counted(@threads, "thread")} x #{each}, #{idle} idle folded; --idle shows them"
    end
  end
end
