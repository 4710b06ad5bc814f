# frozen_string_literal: true

require_relative "formats"
require_relative "idle_time"
require_relative "numbers"
require_relative "profile_totals"
require_relative "stat_rows"

module Rperf
  # What `rperf stat` prints: where the time went, and what the process used.
  #
  # profile: the Native::Profile (of all processes together)
  # stats, times: see StatRows
  # tables:  whether the flat and cumulative tables follow
  # idle:    whether the time counts in which threads waited for work
  class StatReport
    def initialize(profile, stats:, command:, times:, tables: false, idle: false)
      fold(profile, idle)
      @blocks = StatRows.new(@profile, stats:, times:).blocks
      @command = command
      @tables = tables
    end

    # The whole text.
    def to_s
      parts = @blocks.map { |rows| rows.map { |row| line(row) }.join }
      "\n Performance stats for '#{@command}'#{runs}:\n\n#{parts.join("\n")}\n#{folded}#{footer}#{tables}\n"
    end

    private

    # profile, idle: as above
    def fold(profile, idle)
      @whole, @shows_idle = profile, idle
      @idle = IdleTime.new(profile, shown: idle)
      @profile = @idle.rest
    end

    # How many runs there were, where it was more than one.
    def runs = nil

    # Three columns: a number with its unit, a share, a name.
    def line(row)
      format("%14s %-2s %7s  %s", *row.figure, row.share, [row.name, row.note].compact.join(" ")).rstrip + "\n"
    end

    def folded = @idle.line&.then { |line| "  #{line}\n" }

    def footer
      totals = ProfileTotals.new(@profile)
      triggers, duration = totals.figures.values_at(:trigger_count, :duration_ns)
      overhead = Numbers.percent(totals.overhead_ns, [duration, 1].max)
      events = ", #{Numbers.counted(totals.event_count, "event")}" if totals.event_count.positive?
      drops = ", #{Numbers.grouped(totals.dropped_count)} dropped" if totals.dropped_count.positive?
      causes = totals.allocated_objects ? "objects" : "triggers"
      "  #{Numbers.grouped(totals.tick_count)} samples / #{Numbers.grouped(triggers)} #{causes}#{events}#{drops}, #{overhead} profiler overhead\n"
    end

    # The tables of the text format, without what stands above and below them.
    def tables
      return unless @tables
      "\n#{Formats.bytes(@whole, :text, idle: @shows_idle)[/^Flat:.*^Cumulative:\n(?:[^\n]+\n)*/m]}"
    end
  end
end
