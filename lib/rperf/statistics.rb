# frozen_string_literal: true

require_relative "idle_time"
require_relative "numbers"
require_relative "profile_totals"
require_relative "terminal_lines"
require_relative "utf8"

module Rperf
  # Statistics about the sampling itself, which `-v` and `verbose:` print.
  class Statistics
    TOP = 10
    # The beginning of each line.
    MARK = "[rperf] "

    # profile: a Native::Profile
    # idle:    whether the list of functions counts the time in which threads waited for work
    # columns: the width of the terminal, or nil where lines may have any length
    def initialize(profile, idle: false, columns: nil)
      @columns = columns
      @idle = IdleTime.new(profile, shown: idle)
      @totals = ProfileTotals.new(profile)
      @figures = @totals.figures
    end

    # Returns the lines, each marked "[rperf]". Names of functions and files have no control
    # characters there.
    def to_s = lines.map { |line| "#{TerminalLines.hanging(MARK, UTF8.printable(line), @columns)}\n" }.join("")

    private

    def lines
      [settings, sampling, overhead, recorded, *drops, *truncated, *label_overflow, *@idle.line, *top]
    end

    def settings
      engine = " engine=#{@figures[:engine]}" unless @figures[:engine].empty?
      _kind, _unit, interval = @figures[:period]
      rate = interval ? " interval=#{interval}" : (" frequency=#{@figures[:frequency]}Hz" if @totals.time?)
      "mode=#{@figures[:mode]}#{rate}#{engine}"
    end

    def sampling
      return objects if @totals.allocated_objects
      calls = @figures[:sampling_count]
      spent = @figures[:sampling_time_ns]
      each = calls.zero? ? 0.0 : spent / 1000.0 / calls
      format("sampling: %s, %.2fms total, %.1fus/call avg, %s",
        Numbers.counted(calls, "call"), spent / 1e6, each, Numbers.counted(@figures[:trigger_count], "trigger"))
    end

    def objects
      "objects: #{Numbers.grouped(@totals.allocated_objects)} allocated, #{Numbers.grouped(@figures[:sampling_count])} sampled"
    end

    # Returns the time that the sampling thread and the hooks on the program's threads took.
    def overhead
      spent = [@totals.overhead_ns, @figures[:sampling_time_ns], @figures[:hook_time_ns]].map { |time| time / 1e6 }
      share = Numbers.percent(@totals.overhead_ns, [@figures[:duration_ns].to_i, 1].max)
      format("overhead: %.2fms (%.2fms sampling, %.2fms hooks), %s of the duration", *spent, share)
    end

    def recorded
      details = [Numbers.counted(@figures[:detected_thread_count], "thread")]
      details << Numbers.counted(@figures[:unique_stacks], "unique stack") if @figures[:unique_stacks]
      details << Numbers.counted(@figures[:unique_frames], "unique frame") if @figures[:unique_frames]
      samples = [Numbers.grouped(@totals.tick_count), *events].join(", ")
      "samples recorded: #{samples} (#{details.join(", ")})"
    end

    # Returns the number of events: suspensions and steps of the collector, charged without a tick.
    def events
      Numbers.counted(@totals.event_count, "event") if @totals.event_count.positive?
    end

    def drops
      return ["dropped: nothing"] if @totals.dropped.empty?
      @totals.dropped.sort_by(&:first).map do |cause, drop|
        count = drop[:samples].to_i
        time = ", #{@totals.amount(drop[:weight_ns].to_i)}" unless @totals.allocated_objects
        "dropped: #{Numbers.counted(count, "sample")}#{time} (#{cause})"
      end
    end

    # Returns the comments about stacks that were read while their thread ran; one for each process.
    def truncated = comments.grep(/\Atruncated stacks: /)

    def comments = Array(@figures[:comments])

    def label_overflow
      count = @figures[:label_overflow_count]
      count ? ["labels: #{Numbers.grouped(count)} labellings beyond the limit of label sets share one set"] : []
    end

    def top
      busy = ProfileTotals.new(@idle.rest)
      entries = busy.top_leaves(TOP)
      return [] if entries.empty?
      rows = entries.map do |path, label, weight|
        amount = busy.time? ? "#{Numbers.milliseconds(weight)}ms" : busy.amount(weight)
        figures = format("%14s %6s  ", amount, Numbers.percent(weight, busy.weight))
        "#{figures}#{TerminalLines.function(label, path, MARK.length + figures.length, @columns)}"
      end
      ["top #{TOP} by flat:", *rows]
    end
  end
end
