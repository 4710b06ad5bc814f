# frozen_string_literal: true

require_relative "numbers"

module Rperf
  # One row of `rperf stat`. `whole` is what the value is a share of, or nil; `note` is what of this
  # run alone is said behind the name. Values are in nanoseconds (ms), in bytes (MB), or counts; a
  # text where there is no number.
  StatRow = Struct.new(:name, :unit, :value, :whole, :note, keyword_init: true) do
    # A row of nanoseconds.
    def self.time(name, value, **more) = new(name:, unit: "ms", value:, **more)

    # A row of a count.
    def self.count(name, value, note = nil) = new(name:, value:, note:)

    # [number, unit] as people read them.
    def figure = [number, unit]

    # The share as "12.3%", or nil.
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
