# frozen_string_literal: true

require_relative "numbers"

module Rperf
  # One row of `rperf stat`. `whole` is the total of which the value is a share, or nil. `note` is a
  # remark about this run only, which follows the name. Values are nanoseconds (ms), bytes (MB, or
  # "bytes" for the unit that fits) or counts, or a text if there is no number.
  StatRow = Struct.new(:name, :unit, :value, :whole, :note, keyword_init: true) do
    # Makes a row of nanoseconds.
    def self.time(name, value, **more) = new(name:, unit: "ms", value:, **more)

    # Makes a row of a count.
    def self.count(name, value, note = nil) = new(name:, value:, note:)

    # Returns the number and the unit as people read them.
    def figure = unit == "bytes" ? Numbers.bytes(value.round).split(" ") : [number, unit]

    # Returns the share as "12.3%", or nil.
    def share = (Numbers.percent(value, whole) if whole)

    private

    def number
      return value if value.is_a?(String)
      case unit
      when "ms" then Numbers.milliseconds(value)
      when "MB" then Numbers.megabytes(value)
      when "%" then format("%.1f", value)
      else Numbers.grouped(value.round)
      end
    end
  end
end
