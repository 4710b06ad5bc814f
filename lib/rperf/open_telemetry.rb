# frozen_string_literal: true

require_relative "begun"

module Rperf
  # Links between traces and profiles. It needs nothing but the program's own OpenTelemetry.
  module OpenTelemetry
    # A span processor of OpenTelemetry. Samples of a unit of work (a request or a job, see
    # Rperf.work) get the ids of its span, as the labels trace_id and span_id.
    #
    #   OpenTelemetry::SDK.configure do |config|
    #     config.add_span_processor(Rperf::OpenTelemetry::SpanProcessor.new)
    #   end
    #
    # Only the unit's first span without a parent in this process counts. It gets the attribute
    # pyroscope.profile.id, by which Grafana finds its profile.
    class SpanProcessor
      # Attribute in which Grafana looks for the id of a profile.
      ATTRIBUTE = "pyroscope.profile.id"
      # Return value for success, the SUCCESS of the SDK.
      SUCCESS = 0
      private_constant :SUCCESS

      # Links the unit of work to a span that has started, on the thread that runs it.
      def on_start(span, parent_context)
        return unless Rperf.running? && local_root?(parent_context)
        context = span.context
        span.set_attribute(ATTRIBUTE, context.hex_span_id) if Native.link_work(context.trace_id, context.span_id)
      rescue StandardError => error
        complain(error)
      end

      # Does nothing.
      def on_finishing(_span) = nil

      # Does nothing.
      def on_finish(_span) = nil

      # Does nothing, since nothing is buffered. Returns 0 for success.
      def force_flush(timeout: nil) = SUCCESS

      # Does nothing. Returns 0 for success.
      def shutdown(timeout: nil) = SUCCESS

      private

      # Returns whether the span has no parent in this process.
      def local_root?(parent_context)
        parent = ::OpenTelemetry::Trace.current_span(parent_context).context
        !parent.valid? || parent.remote?
      end

      # Reports only the first error: the program's spans continue.
      def complain(error)
        Error.complain "spans are not linked: #{Error.headline(error)}" unless @complained
        @complained = true
      end
    end

    # Adds a SpanProcessor to the program's tracer provider. Raises Rperf::Error if there is none.
    def self.link_spans
      provider = ::OpenTelemetry.tracer_provider if defined?(::OpenTelemetry) && ::OpenTelemetry.respond_to?(:tracer_provider)
      return provider.add_span_processor(SpanProcessor.new) if provider.respond_to?(:add_span_processor)
      raise Error, "there is no OpenTelemetry that makes spans: configure its SDK (opentelemetry-sdk) in an initializer"
    end
  end
end
