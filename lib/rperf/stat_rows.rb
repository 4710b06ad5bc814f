# frozen_string_literal: true

require_relative "numbers"
require_relative "stat_breakdown"
require_relative "stat_memory"
require_relative "stat_row"

module Rperf
  # The figures of one run that `rperf stat` shows, as rows in blocks.
  class StatRows
    # profiles: for each mode the Native::Profile (of all processes together)
    # stats:    one Hash (see ProcessStat) for each process
    # times:    user_ns, sys_ns and real_ns of the command, as `time` reports them
    def initialize(profiles, stats:, times:)
      @profiles = profiles
      @stats = stats
      @times = times
    end

    # Returns the rows, block by block: the times, the figures of each profile, and, if there is a
    # profile, the resources used, and, if objects were sampled, the memory at the end.
    def blocks
      breakdowns = @profiles.map { |profile| StatBreakdown.new(profile, stats: @stats, times: @times).rows }
      [times, *breakdowns, resources, StatMemory.new(@stats).rows].reject(&:empty?)
    end

    private

    def times = %i[user sys real].map { |name| StatRow.time(name.to_s, @times.fetch(:"#{name}_ns")) }

    def resources
      return [] if @stats.empty?
      moved = sum(:moved_objects) # They are neither new nor gone.
      [gc_row, StatRow.count("[Ruby] allocated objects", sum(:allocated_objects) - moved),
       StatRow.count("[Ruby] freed objects", sum(:freed_objects) - moved), *compiler_row, *processes_row, memory_row, switches_row, disk_row]
    end

    def gc_row
      all, minor, major = %i[gc_count gc_minor_count gc_major_count].map { |key| Numbers.grouped(sum(key)) }
      StatRow.time("[Ruby] GC time", sum(:gc_time_ns), note: "(#{all} count: #{minor} minor, #{major} major)")
    end

    # YJIT counts the ratio only with --yjit-stats. Of ZJIT only its use is known.
    def compiler_row
      return [StatRow.count("[Ruby] ZJIT", "on")] if @stats.any? { |stat| stat[:zjit] }
      on = @stats.select { |stat| stat[:yjit_compiled_count] }
      return [] if on.empty?
      ratio = on.first[:yjit_ratio]
      return [StatRow.new(name: "[Ruby] YJIT ratio", unit: "%", value: ratio)] if ratio
      compiled = Numbers.grouped(on.sum { |stat| stat[:yjit_compiled_count] })
      [StatRow.count("[Ruby] YJIT", "on", "(#{compiled} methods and blocks compiled; --yjit-stats=quiet gives the ratio)")]
    end

    def processes_row
      @stats.length > 1 ? [StatRow.count("[OS] processes", @stats.length)] : []
    end

    def memory_row
      peak = @stats.map { |stat| stat[:maxrss_bytes].to_i }.max || 0
      note = @stats.length > 1 ? "peak memory of the largest process (maxrss)" : "peak memory (maxrss)"
      StatRow.new(name: "[OS] #{note}", unit: "MB", value: peak)
    end

    def switches_row
      voluntary, involuntary = sum(:voluntary_switches), sum(:involuntary_switches)
      StatRow.count("[OS] context switches", voluntary + involuntary,
        "(#{Numbers.grouped(voluntary)} voluntary, #{Numbers.grouped(involuntary)} involuntary)")
    end

    def disk_row
      read, written = sum(:read_bytes), sum(:written_bytes)
      StatRow.new(name: "[OS] disk I/O", unit: "MB", value: read + written,
        note: "(#{Numbers.megabytes(read)} MB read, #{Numbers.megabytes(written)} MB write)")
    end

    def sum(key) = @stats.sum { |stat| stat[key].to_i }
  end
end
