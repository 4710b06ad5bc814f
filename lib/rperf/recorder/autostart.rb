# frozen_string_literal: true

require_relative "../recorder"

Rperf::Recorder.start_from_env
