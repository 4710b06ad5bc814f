# frozen_string_literal: true

module Accuracy
  # A further check of a case's profile: a reported number must be within a tolerance of the true
  # one. The numbers are nanoseconds, or counts when a unit is given; tolerance and distance are
  # fractions of the true value.
  Check = Struct.new(:name, :truth, :reported, :tolerance, :unit, keyword_init: true) do
    # Returns the check that the shares of a profile are right.
    def self.of_comparison(name, comparison, tolerance:)
      truth = comparison.true_total
      new(name:, truth:, reported: truth * (1 + comparison.error), tolerance:)
    end

    def distance
      return reported.zero? ? 0.0 : Float::INFINITY if truth.zero?

      (reported - truth).abs / truth.to_f
    end

    def ok? = distance <= tolerance

    def to_s
      format("%<name>s: %<truth>s, reported %<reported>s (%<off>.1f %% off, allowed %<tolerance>.0f %%)",
             name:, truth: quantity(truth), reported: quantity(reported), off: distance * 100, tolerance: tolerance * 100)
    end

    private

    def quantity(number) = unit ? "#{number} #{unit}" : format("%.1f ms", number / 1e6)
  end
end
