# frozen_string_literal: true

require_relative "server"

module Rperf
  class Agent
    module Destinations
      # Grafana Pyroscope: `push.v1.PusherService/Push`, Connect's unary call over HTTP.
      class Pyroscope < Server
        PATH = "/push.v1.PusherService/Push"
        HEADERS = {"Content-Type" => "application/proto", "Connect-Protocol-Version" => "1"}.freeze

        private

        def message(profile, delivery)
          [Native.push_request(@series.of(delivery.mode), profile.store_pprof, delivery.id), HEADERS]
        end
      end
    end
  end
end
