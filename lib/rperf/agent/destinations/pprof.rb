# frozen_string_literal: true

require_relative "server"

module Rperf
  class Agent
    module Destinations
      # Any receiver of a gzipped pprof file as the body of a POST: the OpenTelemetry Collector, or
      # an object store.
      class Pprof < Server
        private

        def message(profile, _delivery) = [profile.store_pprof, {}]
      end
    end
  end
end
