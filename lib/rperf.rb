# frozen_string_literal: true

# The file behind `require "rperf"`. rperf/autostart, which may be loaded before the program, does
# not load it, so this file still finds Rails when the program requires it.

require_relative "rperf/begun"
require_relative "rperf/program"
require_relative "rperf/variables"

Rperf::Variables.complain_of_unknown

require_relative "rperf/railtie" if defined?(::Rails::Railtie)
require_relative "rperf/autostart" unless ENV["RPERF_ENABLED"].to_s.empty? || Rperf::Program.rperf?
require_relative "rperf/parts" if ENV.values_at("RPERF_CONTROL", "RPERF_LISTEN", "RPERF_RECORDER", "RPERF_PUSH_URL").any? { |text| !text.to_s.empty? }

# Before the program (RUBYOPT=-rrperf) Rails is not loaded yet, so this file must run again when the
# program requires it. Ruby notes it as loaded at its end; the next compiled code deletes the note.
unless defined?(::Rails::Railtie) || caller_locations.any? { |frame| frame.path && !frame.path.start_with?("<internal:") }
  forget = TracePoint.new(:script_compiled) do
    forget.disable
    $LOADED_FEATURES.delete(__FILE__)
  end
  forget.enable
end
