# frozen_string_literal: true

require_relative "destinations/files"
require_relative "destinations/otlp"
require_relative "destinations/parca"
require_relative "destinations/pprof"
require_relative "destinations/pyroscope"

module Rperf
  class Agent
    # Where profiles go.
    module Destinations
      KINDS = {pyroscope: Pyroscope, otlp: OTLP, parca: Parca, pprof: Pprof}.freeze
      private_constant :KINDS

      # Those that the Settings name; `series`: see Series. Raises ArgumentError.
      def self.of(settings, series)
        given = {series:, credentials: settings.credentials, tls: settings.tls, deny: settings[:deny].map(&:to_s), short_paths: settings[:paths] == :relative}
        settings.destinations.map { |kind, place| kind == :file ? Files.new(place) : KINDS.fetch(kind).new(place, **given) }
      end
    end
  end
end
