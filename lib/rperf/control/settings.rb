# frozen_string_literal: true

require_relative "../options/value"

module Rperf
  module Control
    # What a program's settings and the environment say about control, as keywords of
    # Control.start.
    module Settings
      class << self
        # nil where nothing is to listen. Raises ArgumentError with one sentence.
        def from_env(env)
          {} if truth(env.fetch("RPERF_CONTROL", ""), "RPERF_CONTROL")
        end

        # Of `config.rperf.control`. Raises as from_env.
        def from_config(value, subject)
          {} if truth(value, subject)
        end

        private

        def truth(value, subject)
          return false if value.nil? || value == ""
          kind = Options::Value::Truth
          kind.check(value.is_a?(String) ? kind.parse(value) : value, subject)
        end
      end
    end
  end
end
