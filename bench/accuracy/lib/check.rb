# frozen_string_literal: true

module Accuracy
  # One more thing that must hold of a case's profile: a reported number within a tolerance of the true one.
  # tolerance and distance are fractions of the true value.
  Check = Struct.new(:name, :truth, :reported, :tolerance, keyword_init: true) do
    def distance
      return reported.zero? ? 0.0 : Float::INFINITY if truth.zero?

      (reported - truth).abs / truth.to_f
    end

    def ok? = distance <= tolerance

    def to_s
      format("%<name>s: %<truth>.1f ms, reported %<reported>.1f ms (%<off>.1f %% off, allowed %<tolerance>.0f %%)",
             name:, truth: truth / 1e6, reported: reported / 1e6, off: distance * 100, tolerance: tolerance * 100)
    end
  end
end
