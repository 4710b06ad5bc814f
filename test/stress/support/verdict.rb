# frozen_string_literal: true

require_relative "labels"

module Stress
  # Judges a profile of the torture: nothing in it may be impossible.
  class Verdict
    HAZARD = %r{/hazards/(\w+)\.rb\z}
    # The clocks here are read outside of the session, so they show a little more, never less.
    TOLERANCE = 1.01
    # The file of a native leaf.
    LIBRARY = %r{\A\[vdso\]\z|\.so(?:\.[\d.]+)?\z|/ruby\z}

    # limits: how much the profile may hold at most, see Limits.
    def initialize(data, limits:)
      @data = data
      @limits = limits
    end

    # What is wrong, as sentences.
    def faults
      @faults ||= [*unknown_labels, *mixed_stacks, *wrong_weights, *wrong_drops, *wrong_total]
    end

    # The same of a profile of objects.
    def faults_of_objects = @faults ||= [*unknown_labels, *mixed_stacks, *wrong_weights, *wrong_drops, *wrong_values]

    private

    # What is in use has its size, and nothing is below 0.
    def wrong_values
      wrong = samples.reject { |sample| sample.values.none?(&:negative?) && (sample.values[2].to_i.zero? || sample.values[3].positive?) }
      wrong.first(3).map { |sample| "values #{sample.values} in: #{describe(sample.first)}" }
    end

    def samples = @data[:samples]

    def unknown_labels
      labels = Labels.new
      stacks = samples.map(&:first)
      wrong = stacks.flat_map { |frames| methods(frames).map(&:last) }.uniq.reject { |label| labels.known?(label) }
      wrong.map { |label| "no method of the program is called '#{label}', in: #{describe(stacks.find { |frames| frames.any? { |frame| frame.last == label } })}" }
    end

    def methods(frames) = frames.first.first.match?(LIBRARY) ? frames.drop(1) : frames

    # Hazards do not call each other, so a stack with frames of two of them never existed.
    def mixed_stacks
      mixed = samples.map(&:first).select { |frames| frames.filter_map { |path, _| path[HAZARD, 1] }.uniq.size > 1 }
      mixed.first(3).map { |frames| "frames of different hazards in one stack: #{describe(frames.drop(border(frames)))}" }
    end

    # Some frames before the first one that is of another hazard than those below it.
    def border(frames)
      first = frames.filter_map { |path, _| path[HAZARD, 1] }.first
      [frames.index { |path, _| path[HAZARD, 1] && path[HAZARD, 1] != first } - 4, 0].max
    end

    def wrong_weights
      samples.select { |_, weight| weight.negative? }.first(3).map { |frames, weight| "weight #{weight} in: #{describe(frames)}" }
    end

    def wrong_drops
      wrong = @data[:dropped].reject { |_, lost| lost[:samples].positive? && !lost[:weight_ns].negative? }
      wrong.map { |cause, lost| "drops of '#{cause}' make no sense: #{lost}" }
    end

    def wrong_total
      gc, program = samples.partition { |frames, _| frames.first.last.start_with?("[GC ") }
      { "GC" => [gc, @limits.gc_ns], "the program" => [program, @limits.program_ns] }.filter_map do |what, (part, most)|
        total = part.sum { |_, weight| weight }
        next if total <= most * TOLERANCE

        format("the profile holds %<total>.1f ms of %<what>s, at most %<most>.1f ms can be", total: total / 1e6, what:, most: most / 1e6)
      end
    end

    def describe(frames)
      text = frames.first(8).map { |path, label| "#{label} (#{File.basename(path)})" }.join(" < ")
      frames.size > 8 ? "#{text} < ... (#{frames.size} frames)" : text
    end
  end
end
