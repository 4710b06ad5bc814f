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
    def self.quartiles(values) = [quantile(values, 0.25), quantile(values, 0.75)]

    # Excess of `values` over `base`, round by round, as fractions of the base.
    def self.paired(values, base) = values.zip(base).map { |value, basis| (value - basis) / basis.to_f }
  end
end
