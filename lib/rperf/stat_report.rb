# frozen_string_literal: true

require_relative "formats"
require_relative "numbers"
require_relative "profile_totals"

module Rperf
  # What `rperf stat` prints: where the time went, and what the process used.
  #
  # profile: the Native::Profile (of all processes together)
  # stats:   one Hash (see ProcessStat) for each process
  # times:   user_ns, sys_ns and real_ns of the command, as `time` has them
  # tables:  whether the flat and cumulative tables follow
  class StatReport
    # What a synthetic frame means to the reader.
    STATE_NOTES = {
      "[GVL blocked]" => "[Ruby] GVL blocked (I/O, sleep)",
      "[GVL wait]" => "[Ruby] GVL wait (contention)",
      "[GC marking]" => "[Ruby] GC marking",
      "[GC sweeping]" => "[Ruby] GC sweeping"
    }.freeze

    # Time without a processor is shown from this share of all time on: the first that is not 0.0 %.
    SHOWN_SHARE = 0.001

    def initialize(profile, stats:, command:, times:, tables: false)
      @profile = profile
      @totals = ProfileTotals.new(profile)
      @stats = stats
      @command = command
      @times = times
      @tables = tables
    end

    # The whole text.
    def to_s
      parts = [times, breakdown, resources].map { |rows| rows.map { |row| line(*row) }.join }
      "\n Performance stats for '#{@command}':\n\n#{parts.join("\n")}\n#{footer}#{tables}\n"
    end

    private

    # Three columns: a number with its unit, a share, a name.
    def line(number, unit, share, name)
      format("%14s %-2s %7s  %s", number, unit, share, name).rstrip + "\n"
    end

    def times = %i[user sys real].map { |name| time_row(@times.fetch(:"#{name}_ns"), nil, name) }

    def time_row(nanoseconds, share, name) = [Numbers.milliseconds(nanoseconds), "ms", share, name]

    def breakdown
      states = @totals.by_state
      rows = execution(states[nil])
      STATE_NOTES.each { |label, note| rows << share_row(states[label], note) if states[label].positive? }
      rows + lost
    end

    # The profile is by the wall clock, and a thread with the GVL may wait for a processor: that is
    # no execution.
    def execution(running)
      waited = [sum(:no_processor_ns), running].min
      rows = [share_row(running - waited, "CPU execution")]
      rows << share_row(waited, "[OS] no processor while it had the GVL") if waited > @totals.weight * SHOWN_SHARE
      rows
    end

    # Time that no sample has; that of most drops went to the next tick.
    def lost
      @totals.dropped.sort.filter_map do |cause, drop|
        share_row(drop[:weight_ns], "[rperf] dropped (#{cause})") if drop[:weight_ns].to_i.positive?
      end
    end

    def share_row(weight, name) = time_row(weight, Numbers.percent(weight, @totals.weight + @totals.dropped_weight), name)

    def resources
      [gc_row, count_row(:allocated_objects, "[Ruby] allocated objects"), count_row(:freed_objects, "[Ruby] freed objects"),
       *yjit_row, *processes_row, memory_row, switches_row, disk_row]
    end

    def gc_row
      minor, major = sum(:gc_minor_count), sum(:gc_major_count)
      time_row(sum(:gc_time_ns), nil,
        "[Ruby] GC time (#{Numbers.grouped(sum(:gc_count))} count: #{Numbers.grouped(minor)} minor, #{Numbers.grouped(major)} major)")
    end

    def count_row(key, name) = [Numbers.grouped(sum(key)), nil, nil, name]

    # The ratio is known only with --yjit-stats.
    def yjit_row
      on = @stats.select { |stat| stat[:yjit_compiled_count] }
      return [] if on.empty?
      ratio = on.first[:yjit_ratio]
      return [[format("%.1f", ratio), "%", nil, "[Ruby] YJIT ratio"]] if ratio
      compiled = Numbers.grouped(on.sum { |stat| stat[:yjit_compiled_count] })
      [["on", nil, nil, "[Ruby] YJIT (#{compiled} methods and blocks compiled; --yjit-stats=quiet gives the ratio)"]]
    end

    def processes_row
      @stats.length > 1 ? [[Numbers.grouped(@stats.length), nil, nil, "[OS] processes"]] : []
    end

    def memory_row
      peak = @stats.map { |stat| stat[:maxrss_bytes].to_i }.max || 0
      note = @stats.length > 1 ? "peak memory of the largest process (maxrss)" : "peak memory (maxrss)"
      [Numbers.megabytes(peak), "MB", nil, "[OS] #{note}"]
    end

    def switches_row
      voluntary, involuntary = sum(:voluntary_switches), sum(:involuntary_switches)
      [Numbers.grouped(voluntary + involuntary), nil, nil,
       "[OS] context switches (#{Numbers.grouped(voluntary)} voluntary, #{Numbers.grouped(involuntary)} involuntary)"]
    end

    def disk_row
      read, written = sum(:read_bytes), sum(:written_bytes)
      [Numbers.megabytes(read + written), "MB", nil,
       "[OS] disk I/O (#{Numbers.megabytes(read)} MB read, #{Numbers.megabytes(written)} MB write)"]
    end

    def footer
      triggers, spent, duration = @totals.figures.values_at(:trigger_count, :sampling_time_ns, :duration_ns)
      overhead = Numbers.percent(spent, [duration, 1].max)
      drops = ", #{Numbers.grouped(@totals.dropped_count)} dropped" if @totals.dropped_count.positive?
      "  #{Numbers.grouped(@totals.sample_count)} samples / #{Numbers.grouped(triggers)} triggers#{drops}, #{overhead} profiler overhead\n"
    end

    # The tables of the text format, without its header.
    def tables
      return unless @tables
      text = Formats.bytes(@profile, :text)
      start = text.index(/^Flat:/)
      "\n#{text[start..]}" if start
    end

    def sum(key) = @stats.sum { |stat| stat[key].to_i }
  end
end
