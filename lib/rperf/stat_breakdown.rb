# frozen_string_literal: true

require_relative "profile_totals"
require_relative "stat_objects"
require_relative "stat_row"

module Rperf
  # The rows of `rperf stat` about the profile of one mode: where its time went, or its objects.
  class StatBreakdown
    # Names for people of the synthetic frames.
    STATE_NOTES = {
      "[CPU wait]" => "[OS] CPU wait (no processor)",
      "[GVL blocked]" => "[Ruby] GVL blocked (I/O, sleep)",
      "[GVL wait]" => "[Ruby] GVL wait (contention)",
      "[GC marking]" => "[Ruby] GC marking",
      "[GC sweeping]" => "[Ruby] GC sweeping"
    }.freeze

    # profile: a Native::Profile
    # stats, times: see StatRows
    def initialize(profile, stats:, times:)
      @totals = ProfileTotals.new(profile)
      @stats = stats
      @times = times
    end

    # Returns the rows.
    def rows
      return values unless @totals.time?
      states = @totals.by_state
      rows = [share_row("CPU execution", states[nil])]
      STATE_NOTES.each { |label, note| rows << share_row(note, states[label]) if states[label].positive? }
      rows + lost
    end

    private

    # Returns the rows of a profile that has no time.
    def values
      return StatObjects.new(@totals, stats: @stats, real_ns: @times.fetch(:real_ns)).rows if @totals.allocated_objects
      [StatRow.new(name: "#{@totals.figures[:value_type]&.first} of the program's samples", value: @totals.weight)]
    end

    # Returns the rows of time that no sample has. For most drops the next tick has the time.
    def lost
      @totals.dropped.sort.filter_map do |cause, drop|
        share_row("[rperf] dropped (#{cause})", drop[:weight_ns]) if drop[:weight_ns].to_i.positive?
      end
    end

    def share_row(name, weight) = StatRow.time(name, weight, whole: @totals.weight + @totals.dropped_weight)
  end
end
