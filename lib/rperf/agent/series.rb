# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../otlp_resource"

module Rperf
  class Agent
    # What tells the profiles of this process from those of others: the service, and labels that all
    # of its processes share. The number of the process is none of them: each deploy would begin as
    # many series as it has processes.
    class Series
      # What a label is called in every store; others become so.
      NAME = /\A[a-zA-Z_][a-zA-Z0-9_]*\z/
      # The names of profiles by mode, as Pyroscope has them.
      PROFILES = {cpu: "process_cpu", wall: "wall", alloc: "memory", heap: "memory", custom: "custom"}.freeze

      attr_reader :service, :instance, :labels

      # labels: a Hash of names and texts, beside the service; nil values are left out
      def initialize(service:, labels: {}, env: ENV)
        @service = service.to_s.empty? ? Series.service(env) : service.to_s
        @instance = SecureRandom.uuid
        @labels = {host: Socket.gethostname}.merge(labels).compact.to_h { |name, value| [name.to_s, value.to_s] }
      end

      # Where the settings name none: that of OpenTelemetry, the Rails application, or the program.
      def self.service(env)
        named = OTLPResource.of_environment(env)["service.name"].to_s
        return named unless named.empty?
        return File.basename($PROGRAM_NAME, ".*") unless defined?(::Rails.application) && ::Rails.application
        application = ::Rails.application.class.module_parent_name || File.basename(::Rails.root)
        application.gsub(/([a-z\d])([A-Z])/, '\1-\2').tr("_", "-").downcase
      end

      # The same for OpenTelemetry: attributes of a resource.
      def resource
        known = {"host" => "host.name", "env" => "deployment.environment.name", "version" => "service.version"}
        {"service.name" => @service, "service.instance.id" => @instance, **@labels.transform_keys { |name| known.fetch(name, name) }}
      end

      # The labels of a profile of this mode: a Hash of texts.
      def of(mode)
        {"__name__" => PROFILES.fetch(mode), "service_name" => @service, "__delta__" => "false", **@labels}
      end
    end
  end
end
