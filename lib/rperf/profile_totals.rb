# frozen_string_literal: true

require_relative "native"
require_relative "numbers"

module Rperf
  # The figures and sums of a Native::Profile. Times are in nanoseconds.
  class ProfileTotals
    # Names for people of the value types that are times.
    TIMES = {"cpu" => "CPU time", "wall" => "wall time"}.freeze

    # The data Hash without samples and labels.
    attr_reader :figures

    def initialize(profile)
      @profile = profile
      @figures = profile.figures
    end

    # Returns the weight of all samples.
    def weight = @profile.weight

    # Returns the sum of the values of this name if samples have several values, otherwise nil.
    def value_sum(name) = @profile.value_sum(name)

    # Returns whether time was sampled.
    def time? = unit == "nanoseconds"

    # Returns the weight of all samples as text: "1.23 s of CPU time", "6.47 MB of alloc_space".
    def weight_text
      kind, = figures[:value_type] || [figures[:mode] == :wall ? "wall" : "cpu"]
      kind == "weight" ? "a weight of #{amount(weight)}" : "#{amount(weight)} of #{TIMES.fetch(kind, kind)}"
    end

    # Returns a weight with its unit as text.
    def amount(weight) = Numbers.amount(weight, unit)

    # Returns the number of ticks that the samples stand for.
    def tick_count = @profile.tick_count

    # Returns the number of events in the samples: suspensions and steps of the collector.
    def event_count = @profile.event_count

    # Returns the weights by the label of the synthetic leaf frame ("[GVL wait]"); nil is the key of
    # time in which Ruby ran.
    def by_state = @by_state ||= @profile.by_state

    # Returns [[path, label, weight], ...] of the leaf frames with the most weight; equal weights
    # are in the order of their names.
    def top_leaves(count)
      @profile.self_times.sort_by { |path, label, weight| [-weight, path, label] }.first(count)
    end

    # Returns the time that the sampling thread and the hooks took.
    def overhead_ns = figures[:sampling_time_ns] + figures[:hook_time_ns]

    # Returns {"cause" => {samples:, weight_ns:}} of the lost samples.
    def dropped = figures[:dropped]

    # Returns the number of allocated objects if objects were sampled, otherwise nil.
    def allocated_objects = (figures[:trigger_count] if figures[:period]&.first == "objects")

    # Returns the number of lost samples.
    def dropped_count = dropped.values.sum { |drop| drop[:samples] }

    # Returns the weight of the lost samples, as far as it is known.
    def dropped_weight = dropped.values.sum { |drop| drop[:weight_ns] }

    private

    def unit = figures[:value_type]&.last || "nanoseconds"
  end
end
