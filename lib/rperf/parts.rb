# frozen_string_literal: true

# Starts the parts of rperf that the environment names: control, recorder and agent. All of them
# are loaded before one starts, which may leave no file descriptor for the next. A part that cannot
# be loaded says so in one sentence.

given = ->(*names) { ENV.values_at(*names).any? { |text| !text.to_s.empty? } }
parts = {"control" => given.("RPERF_CONTROL", "RPERF_LISTEN"), "recorder" => given.("RPERF_RECORDER"),
         "agent/agent" => given.("RPERF_PUSH_URL") && !defined?(::Rails::Railtie)}

loaded = parts.keep_if { |_file, wanted| wanted }.keys.filter do |file|
  Rperf::FirstUse.prepare { require_relative file }
  true
rescue Rperf::Error => error
  Rperf::Error.complain(error.message)
  false
end

loaded.each { |file| Rperf.const_get(File.basename(file).capitalize).start_from_env }
