# frozen_string_literal: true

require_relative "destinations/files"
require_relative "destinations/otlp"
require_relative "destinations/parca"
require_relative "destinations/pprof"
require_relative "destinations/pyroscope"

module Rperf
  class Agent
    # Destinations of profiles.
    module Destinations
      KINDS = {pyroscope: Pyroscope, otlp: OTLP, parca: Parca, pprof: Pprof}.freeze
      private_constant :KINDS

      # Returns the destinations that the Settings name; `series`: see Series. Raises ArgumentError.
      def self.of(settings, series)
        given = {series:, tls: settings.tls, deny: settings[:deny].map(&:to_s), short_paths: settings[:paths] == :relative,
                 timeout: settings[:timeout], gzip: settings[:compression] == :gzip}
        made = settings.destinations.map do |kind, place|
          next Files.new(place) if kind == :file
          KINDS.fetch(kind).new(without_user(place), credentials: settings.credentials(place), **given)
        end
        made.group_by(&:name).each_value { |same| number(same) }
        made
      end

      # Numbers destinations that differ by secrets alone: their names are those of the status.
      def self.number(same)
        same.drop(1).each.with_index(2) { |destination, number| destination.name += " (#{number})" }
      end

      # Returns the address without user and password.
      def self.without_user(url) = url.userinfo ? URI.parse(url.to_s.sub("#{url.userinfo}@", "")) : url
      private_class_method :without_user, :number
    end
  end
end
