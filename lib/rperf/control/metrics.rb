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
          silent = ["rperf_siblings", "gauge", "", "Other processes of the group, by whether they have answered.",
                    others.compact.length.then { |count| [[[%w[answered yes]], count], [[%w[answered no]], others.length - count]] }]
          Siblings.join([*others.compact, text(open, silent)])
        end

        # Identifies this process of the server: its index where the title says it, else its pid.
        def worker = ServerWorker.index || Process.pid.to_s

        # Further families of metrics, as Native.metrics takes them.
        def families
          own = ["rperf_own_cpu_seconds", "counter", "seconds", "CPU time of rperf's own threads.", [[[], OwnThread.cpu_seconds]]]
          frequency = Recording.status&.fetch(:frequency, nil)
          [own, *([["rperf_frequency_hertz", "gauge", "hertz", "Ticks a second of the session that runs.", [[[], frequency]]]] if frequency), *agent]
        end

        # Metrics of the agent, where one runs.
        def agent
          status = (Rperf::Agent.status if defined?(Rperf::Agent)) or return []
          destinations = status.fetch(:destinations)
          successes = destinations.filter_map { |name, counts| [[["destination", name]], counts[:last_success].to_f] if counts[:last_success] }
          [["rperf_profiles", "counter", "", "Profiles by what became of them.", destinations.flat_map { |name, counts| results(name, counts) }],
           ["rperf_internal_errors", "counter", "", "Failures of the agent itself; three in a row end it.", [[[], status[:internal_errors]]]],
           ["rperf_outbox_bytes", "gauge", "bytes", "Profiles that wait to be sent.", destinations.map { |name, counts| [[["destination", name]], counts[:outbox_bytes]] }],
           ["rperf_last_success_timestamp_seconds", "gauge", "seconds", "When a profile last arrived.", successes]]
        end

        def results(name, counts)
          sent = [["sent", "", counts[:sent]], ["spooled", "", counts[:spooled]]]
          all = sent + counts[:dropped].map { |cause, number| ["dropped", cause.to_s, number] }
          all.map { |result, reason, number| [[["destination", name], ["result", result], ["reason", reason]], number] }
        end
      end
    end
  end
end
