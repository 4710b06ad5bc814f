# frozen_string_literal: true

require_relative "numbers"
require_relative "profile_totals"

module Rperf
  # How the sampling itself went: what `-v` and `verbose:` print.
  class Statistics
    TOP = 10

    def initialize(data)
      @data = data
      @totals = ProfileTotals.new(data)
    end

    # The lines, each marked "[rperf]".
    def to_s = lines.map { |line| "[rperf] #{line}\n" }.join

    private

    def lines
      [settings, sampling, recorded, *drops, *torn, *label_overflow, *top]
    end

    def settings
      sampler = " sampler=#{@data[:sampler]}" if @data[:sampler]
      "mode=#{@data[:mode]} frequency=#{@data[:frequency]}Hz#{sampler}#{timer}"
    end

    # What ticked; several processes need not agree.
    def timer
      names = comments.filter_map { |comment| comment[/\Atimer: (\w+)/, 1] }.uniq
      " timer=#{names.join(",")}" unless names.empty?
    end

    def sampling
      calls = @data[:sampling_count].to_i
      spent = @data[:sampling_time_ns].to_i
      each = calls.zero? ? 0.0 : spent / 1000.0 / calls
      format("sampling: %s calls, %.2fms total, %.1fus/call avg, %s triggers",
        Numbers.grouped(calls), spent / 1e6, each, Numbers.grouped(@data[:trigger_count].to_i))
    end

    def recorded
      details = [Numbers.counted(@data[:detected_thread_count].to_i, "thread")]
      details << "#{Numbers.grouped(@data[:unique_stacks])} unique stacks" if @data[:unique_stacks]
      details << "#{Numbers.grouped(@data[:unique_frames])} unique frames" if @data[:unique_frames]
      "samples recorded: #{Numbers.grouped(@totals.sample_count)} (#{details.join(", ")})"
    end

    def drops
      return ["dropped: nothing"] if @totals.dropped.empty?
      @totals.dropped.sort_by(&:first).map do |cause, drop|
        weight = Numbers.duration(drop[:weight_ns].to_i)
        "dropped: #{Numbers.counted(drop[:samples].to_i, "sample")}, #{weight} (#{cause})"
      end
    end

    # Stacks that were read while their thread went on; one comment for each process.
    def torn = comments.grep(/\Atorn stacks: /)

    def comments = Array(@data[:comments])

    def label_overflow
      count = @data[:label_overflow_count]
      count ? ["labels: #{Numbers.grouped(count)} labellings beyond the limit of label sets share one set"] : []
    end

    def top
      entries = @totals.top_leaves(TOP)
      return [] if entries.empty?
      rows = entries.map do |frame, weight|
        path, label = frame
        format("%12sms %6s  %s (%s)", Numbers.milliseconds(weight), Numbers.percent(weight, @totals.weight), label, path)
      end
      ["top #{TOP} by flat:", *rows]
    end
  end
end
