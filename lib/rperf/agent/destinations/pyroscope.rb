# frozen_string_literal: true

require "json"
require_relative "../series"
require_relative "server"

module Rperf
  class Agent
    module Destinations
      # Grafana Pyroscope: `push.v1.PusherService/Push`, Connect's unary call over HTTP.
      class Pyroscope < Server
        PATH = "/push.v1.PusherService/Push"
        HEADERS = {"Content-Type" => "application/proto", "Connect-Protocol-Version" => "1"}.freeze

        # Path at which the store can be asked for what it has.
        QUERY = "/querier.v1.QuerierService/SelectMergeStacktraces"
        JSON_HEADERS = {"Content-Type" => "application/json", "Connect-Protocol-Version" => "1"}.freeze
        # Milliseconds around a profile in which it is searched; seconds until it must be found.
        MARGIN = 60_000
        PATIENCE = 10

        # The labels of the series.
        def named(delivery) = @series.of(delivery.mode)

        # Returns the sum of all weights that the store has for a delivery's series around its time;
        # asks again until it has some. 0: none. Raises Rperf::Error with the answer.
        def stored(delivery)
          finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
          loop do
            total = ask(delivery)
            return total if total.positive? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
            sleep(PATIENCE / 20.0)
          end
        end

        private

        def ask(delivery)
          found = nil
          answer = @connection.post("#{@url.path.chomp("/")}#{QUERY}", query(delivery), {**JSON_HEADERS, **@credentials.headers}) do |heard, body|
            found = total(body) if heard.kind == :sent
            heard
          end
          found or raise Error, "#{name} does not say what it has: #{@credentials.hide(answer.text)}"
        end

        # Returns the total of an answer, in which zeros are left out; nil for another text.
        def total(body)
          case JSON.parse(body, symbolize_names: true)
          in {flamegraph: {total: Integer | String => total}} then total.to_i
          in {} | {flamegraph: nil | Hash} then 0
          else nil
          end
        rescue JSON::ParserError, EncodingError
          nil
        end

        # Builds the query. Two nodes are enough for the total.
        def query(delivery)
          till = delivery.till / 1_000_000
          selector = @series.of(delivery.mode).except("__name__", "__delta__").map { |name, value| "#{name}=#{value.to_json}" }.join(",")
          {profileTypeID: type(delivery.profile), labelSelector: "{#{selector}}", maxNodes: 2,
           start: delivery.profile.start_time_ns / 1_000_000 - MARGIN, end: till + MARGIN}.to_json
        end

        # Type of a profile, "process_cpu:cpu:nanoseconds:cpu:nanoseconds": name, value, period.
        def type(profile)
          shown = profile.figures[:value_type] || [profile.mode, "nanoseconds"]
          [Series::PROFILES.fetch(profile.mode), *shown, *(profile.figures[:period]&.first(2) || shown)].join(":")
        end

        def message(profile, delivery)
          [Native.push_request(named(delivery), profile.store_pprof, delivery.id), HEADERS]
        end
      end
    end
  end
end
