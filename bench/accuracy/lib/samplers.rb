# frozen_string_literal: true

module Accuracy
  # The profilers that a case can run under. Each has a `record` that runs the block under the profiler, in
  # the process of the case, and returns what was found: {samples:, sampler:, dropped_ns:}.
  module Samplers
    # rperf as it comes (signal: nil), or by its safepoint sampler (signal: false).
    class Rperf
      def initialize(mode:, hz:, signal:)
        require_relative "../../support/rperf"
        @options = { mode:, frequency: hz, signal: }.compact
      end

      def record(&program)
        data = ::Rperf.start(**@options, &program)
        { samples: data.fetch(:samples), sampler: data.fetch(:sampler), dropped: data.fetch(:dropped) }
      end
    end

    # Knows everything. The bench must find no error in it.
    class Oracle
      def initialize(subject) = @subject = subject

      def record
        yield
        { samples: @subject.perfect_samples, sampler: :oracle }
      end
    end

    # A profiler that watches from outside, and whose file the parent process reads. It needs a moment to
    # find the process before anything is measured.
    class External
      HEAD_START_S = 1.5

      def record
        yield
        nil
      end
    end
  end
end
