# frozen_string_literal: true

require_relative "numbers"
require_relative "one_line"

module Rperf
  # The ledger of units of work: see Rperf.ledger.
  module Ledger
    # The figures of the units of work of one kind and name.
    class Row
      include OneLine

      # Methods that return seconds, with the figures in nanoseconds behind them.
      SECONDS = {wall_seconds: :wall_ns, cpu_seconds: :cpu_ns, gvl_wait_seconds: :gvl_wait_ns, blocked_seconds: :blocked_ns,
                 gc_seconds: :gc_ns, mean: :mean_ns, p50: :p50_ns, p95: :p95_ns, p99: :p99_ns, longest: :longest_ns}.freeze

      # figures: a Hash as in the data's ledger
      def initialize(figures)
        @figures = figures.dup.freeze
      end

      # Returns :request or :job.
      def kind = @figures[:kind]
      # Returns the key of the label whose value is the name in samples, a Symbol.
      def label = @figures[:label]
      # Returns the name, a String.
      def name = @figures[:name]
      # Returns the number of units that have ended.
      def units = @figures[:units]
      # Returns the number of these units that failed.
      def errors = @figures[:errors]
      # Returns how many objects they allocated, an estimate; nil if no session has sampled objects.
      def allocated_objects = @figures[:allocated_objects]

      # Seconds of all units: wall_seconds, cpu_seconds (of the threads that did the work), and from
      # sessions that measure wall time gvl_wait_seconds, blocked_seconds, gc_seconds, else nil.
      # Seconds of one unit: mean, p50, p95, p99 (from a histogram: right to 12.5 %) and longest.
      SECONDS.each do |name, figure|
        define_method(name) { @figures[figure]&./(1e9) }
      end

      # Returns all figures, in nanoseconds.
      def to_h = @figures

      # Returns "#<Rperf::Ledger::Row request GET /, 3 units, 1 error, mean 12.0 ms, p95 20.1 ms>".
      def inspect
        mean, p95 = @figures.values_at(:mean_ns, :p95_ns).map { |time| Numbers.duration(time) }
        failed = ", #{Numbers.counted(errors, "error")}" if errors.positive?
        "#<#{self.class} #{kind} #{name}, #{Numbers.counted(units, "unit")}#{failed}, mean #{mean}, p95 #{p95}>"
      end
    end
  end
end
