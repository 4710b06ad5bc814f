# frozen_string_literal: true

require_relative "repeated_row"
require_relative "stat_report"

module Rperf
  # The output of `rperf stat --repeat`: the mean of each figure with its spread, and the runs with
  # outliers.
  class RepeatedStatReport < StatReport
    # profiles: for each mode the Native::Profile of all runs together
    # runs:    {number of the run => its StatRows}
    # remark:  a further remark about the runs, such as the failed ones, or nil
    # tables, idle, columns: as in StatReport
    def initialize(profiles, runs:, command:, remark: nil, tables: false, idle: false, columns: nil)
      @sections = sections(profiles, idle)
      @numbers = runs.keys
      @blocks = RepeatedRow.blocks(runs.values.map(&:blocks))
      @command = as_text(command)
      @remark = remark
      @tables, @columns = tables, columns
    end

    private

    def runs = " (#{[Numbers.counted(@numbers.length, "run"), *@remark].join("; ")})"

    # Returns a line of four columns: the mean with its unit, the standard deviation in percent of
    # the mean, a share, a name.
    def line(row)
      broken(format("%14s %-2s  ±%6s %7s  ", *row.mean.figure, row.spread, row.mean.share), row.mean.name)
    end

    def footer = "#{super}  ± is the standard deviation of the runs\n#{outliers}"

    # Returns a line for each run that has outliers, with all its outliers.
    def outliers
      apart = @blocks.flatten.flat_map { |row| row.outliers.map { |index, text| [@numbers[index], text] } }
      return "  no run has an outlier\n" if apart.empty?
      apart.group_by(&:first).sort.map { |number, found| "  run #{number} is an outlier: #{found.map(&:last).join(", ")}\n" }.join
    end
  end
end
