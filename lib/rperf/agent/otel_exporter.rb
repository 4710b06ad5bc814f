# frozen_string_literal: true

module Rperf
  class Agent
    # Where OpenTelemetry's variables say that profiles go: `push: "otlp"`, RPERF_PUSH_URL=otlp. (As
    # of its "OpenTelemetry Protocol Exporter" specification; there is none for profiles yet, so
    # that their names follow those for traces.)
    module OTelExporter
      # The word that stands for it.
      WORD = "otlp"
      # Where it is without any of them.
      LOCAL = "http://localhost:4318"
      # What a variable is for the agent. Those for profiles alone, which have PROFILES_ before,
      # count more.
      VARIABLES = {headers: "HEADERS", ca_file: "CERTIFICATE", client_key: "CLIENT_KEY", client_certificate: "CLIENT_CERTIFICATE",
                   timeout: "TIMEOUT", compression: "COMPRESSION"}.freeze

      module_function

      # Those that are set: settings of the agent by name, each with the variable that says it.
      def read(env)
        named = VARIABLES.filter_map { |name, word| variable(env, word)&.then { |found| [name, [env[found], found]] } }.to_h
        named[:timeout] &&= named[:timeout].then { |text, found| [seconds(text, found), found] }
        {push: [address(env), variable(env, "ENDPOINT") || WORD], **named}
      end

      # Of milliseconds.
      def seconds(text, variable)
        number = Integer(text, 10, exception: false) or
          raise ArgumentError, "#{variable} must be a whole number of milliseconds, such as 10000, not #{text.inspect}"
        number / 1000.0
      end
      private_class_method :seconds

      # That of profiles is taken as it is; that of all signals gets their path.
      def address(env)
        found = variable(env, "ENDPOINT")
        url = found ? env[found] : LOCAL
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
