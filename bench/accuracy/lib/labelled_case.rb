# frozen_string_literal: true

require_relative "case"

module Accuracy
  # A case whose error is that of the time by label. Each label has methods of its own. A check
  # compares the time by method, where only time under the method's own label counts.
  class LabelledCase < Case
    class << self
      attr_reader :label_key

      # {label => [method, ...]}
      attr_reader :labels

      def distinguishes(label_key, labels)
        @label_key = label_key
        @labels = labels
      end

      # {method => label}
      def homes = @homes ||= labels.flat_map { |label, names| names.map { |name| [name, label] } }.to_h

      # Other profilers do not know rperf's labels.
      def fits?(sampler:, **) = sampler != "rbspy"
    end

    # {label => ns}: time measured inside of each label's blocks since the last reset.
    attr_reader :label_costs

    def reset
      super
      @label_costs = self.class.labels.to_h { |label, _names| [label, 0] }
    end

    def truth_alone = label_costs
    def reported(attribution) = attribution.by_label

    def checks(attribution)
      by_method = Comparison.new(truth: costs, reported: attribution.by_method_at_home(self.class.homes))
      super << Check.of_comparison("time by method", by_method, tolerance: METHOD_TOLERANCE)
    end

    METHOD_TOLERANCE = 0.03

    def perfect_samples
      unlabelled = lives - label_costs.values.sum
      labelled = self.class.labels.each_with_index.flat_map { |(label, names), index| perfect_label(label, names, index + 1) }
      [*labelled, perfect_sample("main", unlabelled)]
    end

    def perfect_label_sets
      [{}, *self.class.labels.keys.map { |label| { self.class.label_key => label.to_s } }]
    end

    private

    def perfect_label(label, names, label_set)
      rest = label_costs[label] - names.sum { |name| costs[name] }
      names.map { |name| perfect_sample(name, costs[name], label_set:) } << perfect_sample("main", rest, label_set:)
    end

    # Runs the block under the label, with rperf or without.
    def under_label(label, &)
      defined?(::Rperf) ? ::Rperf.label(self.class.label_key => label, &) : yield
    end

    # Calls the block, and charges what it costs to the label.
    def clocked_label(label)
      start = Workloads.clock_ns
      yield
      cost = Workloads.clock_ns - start
      @label_costs[label] += cost
    end
  end
end
