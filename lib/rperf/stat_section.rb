# frozen_string_literal: true

require_relative "formats"
require_relative "idle_time"
require_relative "numbers"
require_relative "profile_totals"

module Rperf
  # What `rperf stat` says of the profile of one mode below the rows.
  class StatSection
    # profile: the Native::Profile
    # idle:    whether the time counts in which threads waited for work
    def initialize(profile, idle:)
      @whole, @shows_idle = profile, idle
      @idle = IdleTime.new(profile, shown: idle)
    end

    # The Native::Profile that the rows are of: without idle time.
    def busy = @idle.rest

    # What is left out of it, a line; nil where nothing is.
    def folded = @idle.line&.then { |line| "  #{line}\n" }

    # How the sampling went, a line.
    def footer
      totals = ProfileTotals.new(busy)
      triggers, duration = totals.figures.values_at(:trigger_count, :duration_ns)
      overhead = Numbers.percent(totals.overhead_ns, [duration, 1].max)
      events = ", #{Numbers.counted(totals.event_count, "event")}" if totals.event_count.positive?
      drops = ", #{Numbers.grouped(totals.dropped_count)} dropped" if totals.dropped_count.positive?
      causes = totals.allocated_objects ? "objects" : "triggers"
      "  #{Numbers.grouped(totals.tick_count)} samples / #{Numbers.grouped(triggers)} #{causes}#{events}#{drops}, #{overhead} profiler overhead\n"
    end

    # The tables of the text format, without what stands above and below them.
    def tables = "\n#{Formats.bytes(@whole, :text, idle: @shows_idle)[/^Flat:.*^Cumulative:\n(?:[^\n]+\n)*/m]}"
  end
end
