# frozen_string_literal: true

module Accuracy
  # The profilers that a case can run under. Each has a `record` that runs the block under the
  # profiler, in the process of the case, and returns what was found: {samples:, label_sets:,
  # sampler:, dropped:}. Its `options` are what `rperf record` needs to do the same to another
  # process; nil: no profiler.
  module Samplers
    # rperf as it comes (signal: nil), or by its safepoint sampler (signal: false). Of two modes the
    # first is looked at.
    class Rperf
      # What the data hash calls the way of sampling, under the newer name of the key and the older.
      def self.engine(data) = data[:engine] || data.fetch(:sampler)

      attr_reader :hz

      def initialize(mode:, hz:, signal:)
        require_relative "../../support/rperf"
        @mode = mode
        @hz = hz
        @signal = signal
      end

      def record(&program)
        found = ::Rperf.start(**{ mode: @mode, frequency: @hz, signal: @signal }.compact, &program)
        data = found.is_a?(Array) ? found.first : found
        { samples: data.fetch(:samples), label_sets: data[:label_sets] || [{}],
          sampler: self.class.engine(data), dropped: data.fetch(:dropped) }
      end

      def options
        ["--mode", @mode.to_s, "--frequency", @hz.to_s, *(["--signal", "none"] if @signal == false)]
      end
    end

    # Knows everything. The bench must find no error in it.
    class Oracle
      def initialize(subject) = @subject = subject

      def record
        yield
        { samples: @subject.perfect_samples, label_sets: @subject.perfect_label_sets, sampler: :oracle }
      end

      def options = nil
    end

    # A profiler that watches from outside, and whose file the parent process reads. It needs a
    # moment to find the process before anything is measured.
    class External
      HEAD_START_S = 1.5

      def record
        yield
        nil
      end
    end
  end
end
