# frozen_string_literal: true

module Overhead
  # Medians and quartiles: one disturbed round must not move the result.
  module Statistics
    def self.quantile(values, fraction)
      raise ArgumentError, "no values" if values.empty?

      sorted = values.sort
      place = fraction * (sorted.size - 1)
      below = sorted[place.floor]
      below + (sorted[place.ceil] - below) * (place - place.floor)
    end

    def self.median(values) = quantile(values, 0.5)
    # Returns the median and the largest of some milliseconds, as texts.
    def self.median_and_most(values) = [median(values), values.max].map { |value| format("%.2f ms", value) }
    def self.quartiles(values) = [quantile(values, 0.25), quantile(values, 0.75)]

    # Excess of `values` over `base`, round by round, as fractions of the base.
    def self.paired(values, base) = values.zip(base).map { |value, basis| (value - basis) / basis.to_f }
  end
end
