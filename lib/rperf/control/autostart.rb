# frozen_string_literal: true

require_relative "settings"
require_relative "../control"

# Starts Control as the environment says (RPERF_CONTROL=1). An error is one sentence on stderr, and
# the program runs without control.
begin
  settings = Rperf::Control::Settings.from_env(ENV)
  Rperf::Control.start(**settings) if settings
rescue StandardError => error
  Rperf::Error.complain "the program cannot be controlled: #{error.message}"
end
