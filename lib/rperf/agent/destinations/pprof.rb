# frozen_string_literal: true

require_relative "server"

module Rperf
  class Agent
    module Destinations
      # Whatever takes a gzipped pprof file as the body of a POST: a receiver of the OpenTelemetry
      # Collector, an object store.
      class Pprof < Server
        private

        def message(profile, _delivery) = [profile.store_pprof, {}]
      end
    end
  end
end
