# frozen_string_literal: true

require_relative "native"
require_relative "numbers"

module Rperf
  # What a Native::Profile says about itself and its sums. Times are in nanoseconds.
  class ProfileTotals
    # What people call the types of values that are times.
    TIMES = {"cpu" => "CPU time", "wall" => "wall time"}.freeze

    # figures: the data Hash without samples and labels
    attr_reader :figures

    def initialize(profile)
      @profile = profile
      @figures = profile.figures
    end

    # The weight of all samples.
    def weight = @profile.weight

    # The sum of the values that are called so, where samples have several; else nil.
    def value_sum(name) = @profile.value_sum(name)

    # Whether it is time that was sampled.
    def time? = unit == "nanoseconds"

    # What the weight of all samples is, for people: "1.23 s of CPU time", "6.47 MB of alloc_space".
    def weight_text
      kind, = figures[:value_type] || [figures[:mode] == :wall ? "wall" : "cpu"]
      kind == "weight" ? "a weight of #{amount(weight)}" : "#{amount(weight)} of #{TIMES.fetch(kind, kind)}"
    end

    # A weight in its unit, for people.
    def amount(weight) = Numbers.amount(weight, unit)

    # How many ticks the samples stand for.
    def tick_count = @profile.tick_count

    # How many events they stand for: suspensions and steps of the collector.
    def event_count = @profile.event_count

    # Weight by the label of the synthetic leaf frame ("[GVL wait]"); nil for time in which Ruby
    # ran.
    def by_state = @by_state ||= @profile.by_state

    # [[path, label, weight], ...] of the leaf frames with the most weight, equal weights in the
    # order of their names.
    def top_leaves(count)
      @profile.self_times.sort_by { |path, label, weight| [-weight, path, label] }.first(count)
    end

    # The time that the sampling thread and the hooks took.
    def overhead_ns = figures[:sampling_time_ns] + figures[:hook_time_ns]

    # {"cause" => {samples:, weight_ns:}} of what could not be kept.
    def dropped = figures[:dropped]

    # How many objects were allocated where some of them were sampled, or nil.
    def allocated_objects = (figures[:trigger_count] if figures[:period]&.first == "objects")

    # How many samples could not be kept.
    def dropped_count = dropped.values.sum { |drop| drop[:samples] }

    # Their weight, as far as it is known.
    def dropped_weight = dropped.values.sum { |drop| drop[:weight_ns] }

    private

    def unit = figures[:value_type]&.last || "nanoseconds"
  end
end
