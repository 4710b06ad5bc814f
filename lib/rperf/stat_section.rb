# frozen_string_literal: true

require_relative "formats"
require_relative "idle_time"
require_relative "numbers"
require_relative "profile_totals"

module Rperf
  # The text of `rperf stat` about the profile of one mode, below the rows.
  class StatSection
    # profile: the Native::Profile
    # idle:    whether the time in which threads waited for work counts
    # named:   whether the text says what was sampled: there are other sections
    def initialize(profile, idle:, named: false)
      @whole, @shows_idle = profile, idle
      @idle = IdleTime.new(profile, shown: idle)
      @name = ProfileTotals::TIMES.fetch(profile.mode.to_s, "objects") if named
    end

    # Returns a line above the rows; nil if the section has no name.
    def heading = (" #{@name.sub(/\A./, &:upcase)}:\n" if @name)

    # Returns the Native::Profile of the rows: without idle time.
    def busy = @idle.rest

    # Returns a line about the time that is left out; nil if none is.
    def folded = @idle.line&.then { |line| "  #{line}\n" }

    # Returns a line about the sampling itself.
    def footer
      totals = ProfileTotals.new(busy)
      triggers, duration = totals.figures.values_at(:trigger_count, :duration_ns)
      overhead = Numbers.percent(totals.overhead_ns, [duration, 1].max)
      events = ", #{Numbers.counted(totals.event_count, "event")}" if totals.event_count.positive?
      drops = ", #{Numbers.grouped(totals.dropped_count)} dropped" if totals.dropped_count.positive?
      causes = Numbers.counted(triggers, totals.allocated_objects ? "object" : "trigger")
      samples = Numbers.counted(totals.tick_count, "sample")
      "  #{samples} / #{causes}#{events}#{drops}, #{overhead} profiler overhead#{" (#{@name})" if @name}\n"
    end

    # Returns the tables of the text format, without the text above and below them. columns: the
    # width of the terminal, or nil
    def tables(columns) = "\n#{heading}#{Formats.text(@whole, columns:, idle: @shows_idle)[/^Flat:.*^Cumulative:\n(?:[^\n]+\n)*/m]}"
  end
end
