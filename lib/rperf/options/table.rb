# frozen_string_literal: true

require_relative "../formats"
require_relative "value"

module Rperf
  class Options
    # One setting: its name, its environment variable, its default, its kind of value, whether it is
    # a keyword of Rperf.start, and whether the native part takes it.
    Setting = Struct.new(:name, :env, :default, :value, :keyword, :native, keyword_init: true)

    MAX_FREQUENCY = 10_000 # Hz
    MAX_FREQUENCY_FROM_OUTSIDE = 1_000 # Hz, of a session that another process asks for
    frequency = Value::WholeNumber.new(1..MAX_FREQUENCY, "Hz")
    MAX_INTERVAL = 1_000_000_000 # objects, or bytes
    interval = Value::WholeNumber.new(1..MAX_INTERVAL, "objects", true)
    objects = Value::WholeNumber.new(2..10_000_000, "objects", true)
    bytes = Value::WholeNumber.new(1..MAX_INTERVAL, "bytes", true)
    age = Value::WholeNumber.new(0..1_000_000, "collections", true)
    slow = Value::Number.new(0.001..86_400, "seconds of a unit of work", true)
    MODE_ALIASES = {object: :alloc}.freeze # What stackprof calls a mode.
    mode = Value::ModeChoice.new(Value::Name.new(aliases: MODE_ALIASES) { [*Native::MODES, :both] })
    watch = Value::Name.new(optional: true) { %i[direct event] }
    format = Value::Name.new(optional: true) { Formats.names }

    # All settings, by name.
    TABLE = [
      # Keywords that the native part acts on.
      [:frequency, "RPERF_FREQUENCY", 1000, frequency, :native],
      [:mode, "RPERF_MODE", :cpu, mode, :native],
      [:interval, "RPERF_INTERVAL", nil, interval, :native],
      [:watch, "RPERF_WATCH", nil, watch, :native],
      [:objects, "RPERF_MAX_LIVE", nil, objects, :native],
      [:min_age, "RPERF_MIN_AGE", nil, age, :native],
      [:gc, "RPERF_GC", true, Value::Truth, :native],
      [:data_sizes, "RPERF_DATA_SIZES", true, Value::Truth, :native],
      [:malloc, "RPERF_MALLOC", false, Value::Truth, :native],
      [:malloc_interval, "RPERF_MALLOC_INTERVAL", nil, bytes, :native],
      [:native_memory, "RPERF_NATIVE_MEMORY", false, Value::Truth, :native],
      [:signal, "RPERF_SIGNAL", nil, Value::TimerSignal, :native],
      [:aggregate, "RPERF_AGGREGATE", true, Value::Truth, :native],
      [:timeline, "RPERF_TIMELINE", false, Value::Truth, :native],
      [:lines, "RPERF_LINES", true, Value::Truth, :native],
      [:native, "RPERF_NATIVE", false, Value::Truth, :native],
      [:blame, "RPERF_BLAME", false, Value::Truth, :native],
      [:defer, "RPERF_DEFER", false, Value::Truth, :native],
      [:slow, "RPERF_SLOW", nil, slow, :native],
      # Keywords that the Ruby part acts on.
      [:output, "RPERF_OUTPUT", nil, Value::Path, :keyword],
      [:format, "RPERF_FORMAT", nil, format, :keyword],
      [:verbose, "RPERF_VERBOSE", false, Value::Truth, :keyword],
      [:inherit, "RPERF_INHERIT", false, Value::Inheritance, :keyword],
      # Settings of programs that are profiled from first line to last (rperf/autostart).
      [:enabled, "RPERF_ENABLED", false, Value::Truth, :process],
      [:stat, "RPERF_STAT", false, Value::Truth, :process],
      [:stat_report, "RPERF_STAT_REPORT", false, Value::Truth, :process],
      [:stat_command, "RPERF_STAT_COMMAND", nil, Value::Text, :process]
    ].to_h do |name, env, default, value, taker|
      keyword = taker != :process
      [name, Setting.new(name:, env:, default:, value:, keyword:, native: taker == :native)]
    end.freeze
  end
end
