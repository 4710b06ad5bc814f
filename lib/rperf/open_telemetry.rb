# frozen_string_literal: true

require_relative "begun"

module Rperf
  # Leads from traces to profiles and back. Needs nothing but what the program's own OpenTelemetry
  # brings.
  module OpenTelemetry
    # A span processor of OpenTelemetry: samples of a request or a job (a unit of work, see
    # Rperf.work) get the ids of its span, as the labels trace_id and span_id.
    #
    #   OpenTelemetry::SDK.configure do |config|
    #     config.add_span_processor(Rperf::OpenTelemetry::SpanProcessor.new)
    #   end
    #
    # Of the spans of a unit the first that has no parent in this process counts. It gets the
    # attribute pyroscope.profile.id, by which Grafana finds its profile.
    class SpanProcessor
      # Where Grafana looks for the id that a profile has.
      ATTRIBUTE = "pyroscope.profile.id"
      # What the methods below return where all is well: the SUCCESS of the SDK.
      SUCCESS = 0
      private_constant :SUCCESS

      # A span has started, on the thread that runs it.
      def on_start(span, parent_context)
        return unless Rperf.running? && local_root?(parent_context)
        context = span.context
        span.set_attribute(ATTRIBUTE, context.hex_span_id) if Native.link_work(context.trace_id, context.span_id)
      rescue StandardError => error
        complain(error)
      end

      # Nothing remains to be done.
      def on_finishing(_span) = nil

      # The same.
      def on_finish(_span) = nil

      # Nothing waits here. Returns 0, which says so.
      def force_flush(timeout: nil) = SUCCESS

      # The same.
      def shutdown(timeout: nil) = SUCCESS

      private

      # Whether the span's parent, if it has one, is in another process.
      def local_root?(parent_context)
        parent = ::OpenTelemetry::Trace.current_span(parent_context).context
        !parent.valid? || parent.remote?
      end

      # Once: the program's spans go on.
      def complain(error)
        Error.complain "spans are not linked: #{error.class}: #{error.message.lines.first.to_s.chomp}" unless @complained
        @complained = true
      end
    end

    # Adds a SpanProcessor to the program's provider of tracers. Raises Rperf::Error where there is
    # none.
    def self.link_spans
      provider = ::OpenTelemetry.tracer_provider if defined?(::OpenTelemetry) && ::OpenTelemetry.respond_to?(:tracer_provider)
      return provider.add_span_processor(SpanProcessor.new) if provider.respond_to?(:add_span_processor)
      raise Error, "there is no OpenTelemetry that makes spans: configure its SDK (opentelemetry-sdk) in an initializer"
    end
  end
end
