# frozen_string_literal: true

require_relative "numbers"
require_relative "profile_totals"

module Rperf
  # The figures that `rperf stat` shows of one run, as rows in three blocks.
  class StatRows
    # One row. `whole` is what the value is a share of, or nil; `note` is what of this run alone is
    # said behind the name. Values are in nanoseconds (ms), in bytes (MB), or counts; a text where
    # there is no number.
    Row = Struct.new(:name, :unit, :value, :whole, :note, keyword_init: true) do
      # [number, unit] as people read them.
      def figure = [number, unit]

      # The share as "12.3%", or nil.
      def share = (Numbers.percent(value, whole) if whole)

      private

      def number
        return value if value.is_a?(String)
        case unit
        when "ms" then Numbers.milliseconds(value)
        when "MB" then Numbers.megabytes(value)
        when "%" then format("%.1f", value)
        else Numbers.grouped(value.round)
        end
      end
    end

    # What a synthetic frame means to the reader.
    STATE_NOTES = {
      "[GVL blocked]" => "[Ruby] GVL blocked (I/O, sleep)",
      "[GVL wait]" => "[Ruby] GVL wait (contention)",
      "[GC marking]" => "[Ruby] GC marking",
      "[GC sweeping]" => "[Ruby] GC sweeping"
    }.freeze

    # What the sampled bytes are, by mode.
    MEMORY_NOTES = {alloc: "that they take", heap: "in use at the end, by those that live"}.freeze

    # Time without a processor is shown from this share of all time on: the first that is not 0.0 %.
    SHOWN_SHARE = 0.001

    # profile: the Native::Profile (of all processes together)
    # stats:   one Hash (see ProcessStat) for each process
    # times:   user_ns, sys_ns and real_ns of the command, as `time` has them
    def initialize(profile, stats:, times:)
      @totals = ProfileTotals.new(profile)
      @stats = stats
      @times = times
    end

    # The rows, block by block: the times, where they went, and what was used.
    def blocks = [times, breakdown, resources]

    private

    def times = %i[user sys real].map { |name| time_row(name.to_s, @times.fetch(:"#{name}_ns")) }

    def time_row(name, value, **more) = Row.new(name:, unit: "ms", value:, **more)

    def breakdown
      return values unless @totals.time?
      states = @totals.by_state
      rows = execution(states[nil])
      STATE_NOTES.each { |label, note| rows << share_row(note, states[label]) if states[label].positive? }
      rows + lost
    end

    # Of a profile that has sampled no time.
    def values
      number = @totals.allocated_objects
      return [Row.new(name: "#{@totals.figures[:value_type]&.first} of the program's samples", value: @totals.weight)] unless number
      second = number * 1_000_000_000 / [@times.fetch(:real_ns), 1].max
      each = ", #{Numbers.grouped(number / sum(:gc_count))} a collection" if sum(:gc_count).positive?
      [count_row("objects allocated", number, "(#{Numbers.grouped(second)} a second#{each})"),
       Row.new(name: MEMORY_NOTES.fetch(@totals.figures[:mode]), unit: "MB", value: @totals.weight),
       *@totals.dropped.sort.map { |cause, drop| count_row("[rperf] objects dropped (#{cause})", drop[:samples]) }]
    end

    # The profile is by the wall clock, and a thread with the GVL may wait for a processor: that is
    # no execution.
    def execution(running)
      waited = [sum(:no_processor_ns), running].min
      rows = [share_row("CPU execution", running - waited)]
      rows << share_row("[OS] no processor while it had the GVL", waited) if waited > @totals.weight * SHOWN_SHARE
      rows
    end

    # Time that no sample has; that of most drops went to the next tick.
    def lost
      @totals.dropped.sort.filter_map do |cause, drop|
        share_row("[rperf] dropped (#{cause})", drop[:weight_ns]) if drop[:weight_ns].to_i.positive?
      end
    end

    def share_row(name, weight) = time_row(name, weight, whole: @totals.weight + @totals.dropped_weight)

    def resources
      [gc_row, count_row("[Ruby] allocated objects", sum(:allocated_objects)), count_row("[Ruby] freed objects", sum(:freed_objects)),
       *yjit_row, *processes_row, memory_row, switches_row, disk_row]
    end

    def gc_row
      all, minor, major = %i[gc_count gc_minor_count gc_major_count].map { |key| Numbers.grouped(sum(key)) }
      time_row("[Ruby] GC time", sum(:gc_time_ns), note: "(#{all} count: #{minor} minor, #{major} major)")
    end

    def count_row(name, value, note = nil) = Row.new(name:, value:, note:)

    # The ratio is known only with --yjit-stats.
    def yjit_row
      on = @stats.select { |stat| stat[:yjit_compiled_count] }
      return [] if on.empty?
      ratio = on.first[:yjit_ratio]
      return [Row.new(name: "[Ruby] YJIT ratio", unit: "%", value: ratio)] if ratio
      compiled = Numbers.grouped(on.sum { |stat| stat[:yjit_compiled_count] })
      [count_row("[Ruby] YJIT", "on", "(#{compiled} methods and blocks compiled; --yjit-stats=quiet gives the ratio)")]
    end

    def processes_row
      @stats.length > 1 ? [count_row("[OS] processes", @stats.length)] : []
    end

    def memory_row
      peak = @stats.map { |stat| stat[:maxrss_bytes].to_i }.max || 0
      note = @stats.length > 1 ? "peak memory of the largest process (maxrss)" : "peak memory (maxrss)"
      Row.new(name: "[OS] #{note}", unit: "MB", value: peak)
    end

    def switches_row
      voluntary, involuntary = sum(:voluntary_switches), sum(:involuntary_switches)
      count_row("[OS] context switches", voluntary + involuntary,
        "(#{Numbers.grouped(voluntary)} voluntary, #{Numbers.grouped(involuntary)} involuntary)")
    end

    def disk_row
      read, written = sum(:read_bytes), sum(:written_bytes)
      Row.new(name: "[OS] disk I/O", unit: "MB", value: read + written,
        note: "(#{Numbers.megabytes(read)} MB read, #{Numbers.megabytes(written)} MB write)")
    end

    def sum(key) = @stats.sum { |stat| stat[key].to_i }
  end
end
