# frozen_string_literal: true

require_relative "../options/value"

module Rperf
  module Control
    # Settings of control by the program and by the environment, as keywords of Control.start.
    module Settings
      KEYWORDS = %i[socket listen token_file signal].freeze

      class << self
        # Returns the keywords; nil where nothing is to listen. Raises ArgumentError.
        def from_env(env)
          socket = truth(env["RPERF_CONTROL"], "RPERF_CONTROL")
          listen, token_file = env.values_at("RPERF_LISTEN", "RPERF_TOKEN_FILE").map { |text| text unless text.to_s.empty? }
          {socket:, listen:, token_file: (token_file if listen)} if socket || listen
        end

        # Takes `config.rperf.control`: true, false, or a Hash. Returns and raises as from_env.
        def from_config(value, subject)
          return ({} if truth(value, subject)) unless value.is_a?(Hash)
          keywords = value.transform_keys(&:to_sym)
          unknown = keywords.keys - KEYWORDS
          return keywords if unknown.empty?
          raise ArgumentError, "#{subject} has no #{Error.shown(unknown.first)}; there is #{KEYWORDS.join(", ")}"
        end

        private

        def truth(value, subject)
          return false if value.nil? || value == ""
          Options::Value.read(Options::Value::Truth, value, subject)
        end
      end
    end
  end
end
