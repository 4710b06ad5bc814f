# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../otlp_resource"
require_relative "../program"

module Rperf
  class Agent
    # Identity of this process's profiles in a store: the service, and labels that all of its
    # processes share. The pid is not one of them: with each deploy, every process would begin a new
    # series.
    class Series
      # Label names that are valid in every store, and that neither a store nor rperf sets.
      NAME = /\A(?!__|service_name\z)[a-zA-Z_][a-zA-Z0-9_]*\z/
      # Maximum number of labels besides those of rperf, and of bytes of a value. Stores refuse a
      # series of more than 30 labels, to which samples add 16.
      MOST = 10
      LONGEST = 2_048
      # Names of profiles by mode, as in Pyroscope.
      PROFILES = {cpu: "process_cpu", wall: "wall", alloc: "memory", heap: "memory", custom: "custom"}.freeze

      attr_reader :service, :instance, :labels

      # labels: a Hash of names and texts, besides the service; nil values are left out
      def initialize(service:, labels: {}, env: ENV)
        @service = service.to_s.empty? ? Series.service(env) : service.to_s
        @instance = SecureRandom.uuid
        @labels = {host: Socket.gethostname}.merge(labels).compact.to_h { |name, value| [name.to_s, value.to_s] }
      end

      # The service where no setting names it: that of OpenTelemetry, of Rails, or of the program.
      def self.service(env)
        named = OTLPResource.of_environment(env)["service.name"].to_s
        return named unless named.empty?
        return Program::NAME unless defined?(::Rails.application) && ::Rails.application
        application = ::Rails.application.class.module_parent_name || File.basename(::Rails.root)
        application.gsub(/([a-z\d])([A-Z])/, '\1-\2').tr("_", "-").downcase
      end

      # Attributes of the resource for OpenTelemetry, with the same meaning.
      def resource
        known = {"host" => "host.name", "env" => "deployment.environment.name", "version" => "service.version"}
        {"service.name" => @service, "service.instance.id" => @instance, **@labels.transform_keys { |name| known.fetch(name, name) }}
      end

      # Returns the labels of a profile of this mode: a Hash of texts.
      def of(mode)
        {"__name__" => PROFILES.fetch(mode), "service_name" => @service, "__delta__" => "false", **@labels}
      end
    end
  end
end
