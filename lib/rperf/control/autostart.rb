# frozen_string_literal: true

require_relative "../control"

Rperf::Control.start_from_env
