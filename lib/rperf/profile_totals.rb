# frozen_string_literal: true

require_relative "native"

module Rperf
  # Sums over the samples of a data Hash. Times are in nanoseconds.
  class ProfileTotals
    def initialize(data)
      @data = data
      @samples = data[:aggregated_samples] || data[:raw_samples] || data[:samples] || []
    end

    # The weight of all samples.
    def weight = @weight ||= @samples.sum { |sample| sample[1] }

    # How many samples there are, merged ones counted as often as they were taken.
    def sample_count
      @sample_count ||= @samples.sum { |sample| sample.is_a?(Sample) ? sample.count : 1 }
    end

    # Weight by the label of the synthetic leaf frame ("[GVL wait]"); nil for time in which Ruby ran.
    def by_state
      @by_state ||= @samples.each_with_object(Hash.new(0)) do |(frames, weight), sums|
        leaf = frames.first
        sums[state_labels[leaf]] += weight
      end
    end

    # [[frame, weight], ...] of the leaf frames with the most weight, equal weights in the order of their names.
    def top_leaves(count)
      sums = @samples.each_with_object(Hash.new(0)) { |(frames, weight), all| all[frames.first&.first(2)] += weight }
      sums.sort_by { |frame, weight| [-weight, frame.to_a] }.first(count)
    end

    # {"cause" => {samples:, weight_ns:}} of what could not be kept.
    def dropped = @data[:dropped] || {}

    # How many samples could not be kept.
    def dropped_count = dropped.values.sum { |drop| drop[:samples] || 0 }

    # Their weight, as far as it is known.
    def dropped_weight = dropped.values.sum { |drop| drop[:weight_ns] || 0 }

    private

    def state_labels
      @state_labels ||= Native::STATE_FRAMES.to_h { |frame| [frame, frame[1]] }
    end
  end
end
