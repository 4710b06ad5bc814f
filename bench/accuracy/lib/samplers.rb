# frozen_string_literal: true

module Accuracy
  # Profilers under which a case can run. Each has a `record` that runs the block under the
  # profiler, in the process of the case, and returns the result: {samples:, label_sets:, sampler:,
  # dropped:}. Its `options` are those of `rperf record` for the same in another process; nil: no
  # profiler.
  module Samplers
    # rperf with its default engine (signal: nil), or with the safepoint engine (signal: false). Of
    # several modes the first is compared.
    class Rperf
      # Returns the engine in a data hash, under the newer name of the key or the older.
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

    # A profiler that reports what the case knows. The bench must find no error in it.
    class Oracle
      def initialize(subject) = @subject = subject

      def record
        yield
        { samples: @subject.perfect_samples, label_sets: @subject.perfect_label_sets, sampler: :oracle }
      end

      def options = nil
    end

    # A profiler that samples from outside, and whose file the parent process reads. It needs some
    # time to find the process before anything is measured.
    class External
      HEAD_START_S = 1.5

      def record
        yield
        nil
      end
    end
  end
end
