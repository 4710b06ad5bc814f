# frozen_string_literal: true

module Accuracy
  # The error of a profile: the share of the true time that it charges to the wrong method, or to no
  # method.
  #
  # Time charged to the wrong method is an excess there and a shortfall at the right one. Time
  # charged to no method is a shortfall only, and time charged twice an excess only. So the larger
  # of the two sums is taken.
  class Comparison
    attr_reader :truth, :reported

    # truth, reported: {method => ns}; a method that `reported` lacks was reported with 0.
    def initialize(truth:, reported:)
      @truth = truth
      @reported = reported
      raise ArgumentError, "nothing was measured: the true total is 0" unless truth.values.sum.positive?
    end

    # A fraction of the true total: 0.01 is 1 %.
    def error
      [excess, shortfall].max / true_total.to_f
    end

    # The error with the reported times scaled to the true total: that of the shares alone. 1.0 when
    # nothing was reported. For profilers that count samples and promise no time.
    def error_of_shares
      return 1.0 if reported_total.zero?

      scale = true_total / reported_total.to_f
      Comparison.new(truth:, reported: reported_of.transform_values { |ns| ns * scale }).error
    end

    # Largest distance between a method's true and reported share, in fractions of the total.
    def largest_share_distance
      return 1.0 if reported_total.zero?

      truth.map { |name, ns| (ns / true_total.to_f - reported_of[name] / reported_total.to_f).abs }.max
    end

    def true_total = truth.values.sum
    def reported_total = reported_of.values.sum

    private

    def excess = differences.sum { |difference| [difference, 0].max }
    def shortfall = differences.sum { |difference| [-difference, 0].max }
    def differences = truth.map { |name, ns| reported_of[name] - ns }
    def reported_of = @reported_of ||= truth.to_h { |name, _ns| [name, reported.fetch(name, 0)] }
  end
end
