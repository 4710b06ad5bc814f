# frozen_string_literal: true

module Accuracy
  # Error of a profile by chance alone: with n ticks the deviation of a share p is sqrt(p(1-p)/n).
  class Chance
    # The mean distance of a normal distribution from its middle, in standard deviations.
    MEAN_DISTANCE = Math.sqrt(2 / Math::PI)

    # truth: {name => ns}.
    def initialize(truth)
      total = truth.values.sum.to_f
      @spread = total.positive? ? truth.values.sum { |ns| spread(ns / total) } : 0.0
    end

    # Expected error with this number of ticks. An excess in one share is a shortfall in another,
    # and counts once.
    def error(ticks) = factor / Math.sqrt(ticks)

    # Number of ticks that keep the expected error within `error`.
    def ticks_for(error) = ((factor / error)**2).ceil

    private

    def factor = @spread * MEAN_DISTANCE / 2
    def spread(share) = Math.sqrt(share * (1 - share))
  end
end
