# frozen_string_literal: true

module Rperf
  class Agent
    # Destination and settings by OpenTelemetry's variables: `push: "otlp"`, RPERF_PUSH_URL=otlp.
    # (As of its "OpenTelemetry Protocol Exporter" specification. There is none for profiles yet, so
    # that their names follow those for traces.)
    module OTelExporter
      # Word in place of an address that selects these variables.
      WORD = "otlp"
      # Address where no variable says one.
      LOCAL = "http://localhost:4318"
      # Beginning of an address: its scheme and something that may be a host.
      SHAPE = %r{\Ahttps?://[^/?#]}
      # Names of the variables by the agent's settings. Variables for profiles alone, which have
      # PROFILES_ before the name, have priority.
      VARIABLES = {headers: "HEADERS", ca_file: "CERTIFICATE", client_key: "CLIENT_KEY", client_certificate: "CLIENT_CERTIFICATE",
                   timeout: "TIMEOUT", compression: "COMPRESSION"}.freeze

      module_function

      # Returns the settings that are set, by name: each value with the variable that says it.
      def read(env)
        named = VARIABLES.filter_map { |name, word| variable(env, word)&.then { |found| [name, [env[found], found]] } }.to_h
        named[:timeout] &&= named[:timeout].then { |text, found| [seconds(text, found), found] }
        {push: [address(env), variable(env, "ENDPOINT") || WORD], **named}
      end

      # Seconds of a number of milliseconds.
      def seconds(text, variable)
        number = Integer(text, 10, exception: false) or
          raise ArgumentError, "#{variable} must be a whole number of milliseconds, such as 10000, not #{Error.shown(text)}"
        number / 1000.0
      end
      private_class_method :seconds

      # Takes an address for profiles as it is; an address for all signals gets their path. Raises
      # ArgumentError, whose sentence does not show the address: it may hold a secret.
      def address(env)
        found = variable(env, "ENDPOINT")
        url = found ? env[found] : LOCAL
        raise ArgumentError, "#{found} must be http://HOST:PORT or https://HOST:PORT" unless url.match?(SHAPE)
        found&.include?("PROFILES") ? "otlp+#{url}" : "otlp+#{url.chomp("/")}#{Destinations::OTLP::PATH}"
      end
      private_class_method :address

      def variable(env, word)
        %W[OTEL_EXPORTER_OTLP_PROFILES_#{word} OTEL_EXPORTER_OTLP_#{word}].find { |name| !env[name].to_s.empty? }
      end
      private_class_method :variable
    end
  end
end
