# frozen_string_literal: true

require_relative "../own_thread"
require_relative "../recording"
require_relative "../server_worker"
require_relative "../web/response"
require_relative "siblings"

module Rperf
  module Control
    # Metrics of units of work and of rperf itself, for Prometheus and programs that read the same.
    # Reading them takes nothing away.
    module Metrics
      # Media type in the header of a scraper that wants OpenMetrics.
      OPEN = "application/openmetrics-text"
      TYPES = {true => "#{OPEN}; version=1.0.0; charset=utf-8", false => "text/plain; version=0.0.4; charset=utf-8"}.freeze

      class << self
        # Returns the Web::Response. accept: the header of the request, or nil; siblings: whether it
        # includes the metrics of the other processes of this group
        def response(accept, siblings: false)
          open = accept.to_s.include?(OPEN)
          Web::Response.new(200, {**Web::Headers::COMMON, "content-type" => TYPES.fetch(open)}, siblings ? of_all(open) : text(open))
        end

        private

        def text(open, *more) = Native.metrics(open, worker, [*families, *more])

        # Puts this process last: where a sibling has the same index, this process is about to end.
        def of_all(open)
          others = Siblings.ask("/metrics", accept: (OPEN if open))
          answered = others.compact.length
          counts = {{answered: "yes"} => answered, {answered: "no"} => others.length - answered}
          Siblings.join([*others.compact, text(open, family("siblings", "gauge", "Other processes of the group, by whether they have answered.", counts))])
        end

        # Identifies this process of the server: its index where the title says it, else its pid.
        def worker = ServerWorker.index || Process.pid.to_s

        # Returns a family of metrics, as Native.metrics takes it.
        #
        # values: a Hash from labels to values, or its pairs
        def family(name, kind, help, values, unit: "")
          ["rperf_#{name}", kind, unit, help, values.map { |labels, value| [labels.map { |key, text| [key.name, text] }, value] }]
        end

        # Returns the families that the native part does not know.
        def families
          own = family("own_cpu_seconds", "counter", "CPU time of rperf's own threads.", {{} => OwnThread.cpu_seconds}, unit: "seconds")
          frequency = Recording.status&.fetch(:frequency, nil)
          ticks = [family("frequency_hertz", "gauge", "Ticks a second of the session that runs.", {{} => frequency}, unit: "hertz")] if frequency
          [own, *ticks, *agent]
        end

        # Returns the families about the agent; none if no agent runs.
        def agent
          status = (Agent.status if defined?(Agent.status)) or return []
          destinations = status.fetch(:destinations).transform_keys { |name| {destination: name} }
          successes = destinations.transform_values { |counts| counts[:last_success]&.to_f }.compact
          [family("profiles", "counter", "Profiles by what became of them.", destinations.flat_map { |labels, counts| results(labels, counts) }),
           family("internal_errors", "counter", "Failures of the agent itself; three in a row end it.", {{} => status[:internal_errors]}),
           family("outbox_bytes", "gauge", "Profiles that wait to be sent.", destinations.transform_values { |counts| counts[:outbox_bytes] }, unit: "bytes"),
           family("last_success_timestamp_seconds", "gauge", "When a profile last arrived.", successes, unit: "seconds")]
        end

        # Returns [labels, number] for each thing that became of a destination's profiles.
        def results(labels, counts)
          dropped = counts[:dropped].map { |cause, number| ["dropped", cause.to_s, number] }
          [["sent", "", counts[:sent]], ["spooled", "", counts[:spooled]], *dropped].map { |result, reason, number| [{**labels, result:, reason:}, number] }
        end
      end
    end
  end
end
