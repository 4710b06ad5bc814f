# frozen_string_literal: true

require_relative "stat_rows"

module Rperf
  # A row of `rperf stat` for several runs.
  class RepeatedRow
    # Minimum distance of an outlier from the median, in standard deviations, as estimated from the
    # median of the deviations. Of 100 groups of 5 runs that differ only by chance (normally
    # distributed), 6 have an outlier.
    OUTLIER_DEVIATIONS = 7
    # Standard deviation of a normal distribution, in units of the median deviation.
    MEDIAN_DEVIATIONS = 1.4826
    # Minimum of the same distance as a share of the median (of times, of the block's largest time).
    OUTLIER_SHARE = 0.05

    # Returns the blocks of several runs (see StatRows) as blocks of RepeatedRow: one row for each
    # name.
    def self.blocks(runs)
      runs.transpose.map do |block|
        times = block.flatten.select { |row| row.unit == "ms" }
        block.flatten.uniq(&:name).map do |first|
          new(block.map { |rows| in_run(rows, first) }, largest: times.map(&:value).max)
        end
      end
    end

    # Returns the row of this name. If the run has none, the value is 0; its whole may be unknown.
    def self.in_run(rows, first)
      rows.find { |row| row.name == first.name } || StatRow.new(**first.to_h, value: 0, whole: rows.first.whole)
    end
    private_class_method :in_run

    # rows: the row of each run
    # largest: the largest time of the rows that are compared with this one, in nanoseconds
    def initialize(rows, largest:)
      @rows = rows
      @first = rows.first
      @largest = largest
    end

    # Returns the StatRow of the mean.
    def mean
      return @first unless numeric?
      wholes = @rows.filter_map(&:whole)
      row_of(average(values), (average(wholes) if wholes.any?))
    end

    # Returns the standard deviation as "1.2%" of the mean, or nil if the value is no number.
    def spread
      return unless numeric?
      middle = average(values)
      variance = values.sum { |value| (value - middle)**2 } / [values.length - 1, 1].max
      Numbers.percent(Math.sqrt(variance), middle)
    end

    # Returns [[index of the run, "real 912.0 ms (median 491.0 ms)"], ...].
    def outliers
      return [] unless numeric?
      values.each_with_index.filter_map { |value, run| [run, sentence(value)] if outlier?(value) }
    end

    private

    def numeric? = @rows.none? { |row| row.value.is_a?(String) }

    def values = @values ||= @rows.map(&:value)

    def outlier?(value)
      distance = (value - middle).abs
      distance > OUTLIER_DEVIATIONS * MEDIAN_DEVIATIONS * deviation && distance > OUTLIER_SHARE * scale &&
        text(value) != text(middle)
    end

    def scale = @first.unit == "ms" ? @largest : middle

    def sentence(value) = "#{@first.name} #{text(value)} (median #{text(middle)})"

    def text(value) = row_of(value).figure.compact.join(" ")

    def row_of(value, whole = nil) = StatRow.new(name: @first.name, unit: @first.unit, value:, whole:)

    def middle = @middle ||= median(values)

    def deviation = @deviation ||= median(values.map { |value| (value - middle).abs })

    def average(numbers) = numbers.sum.fdiv(numbers.length)

    def median(numbers)
      sorted = numbers.sort
      average(sorted[(sorted.length - 1) / 2..sorted.length / 2])
    end
  end
end
