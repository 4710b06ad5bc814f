# frozen_string_literal: true

require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"

module MemoryBench
  # Memory of a server over time, and whether it grew. A program reaches its size after a while:
  # what grows is larger in the last quarter of the periods than in the second.
  class SoakReport
    # Maximum growth of the resident set, in bytes: `malloc` may keep freed memory.
    RESIDENT_BAR = 4 << 20
    # Maximum growth of a table, which holds what the program did recently: a factor, and a number
    # of further entries. (Units of work are forgotten by the thousand.)
    TABLE_FACTOR = 1.25
    TABLE_ENTRIES = 1_100
    # Number of lines of the table.
    LINES = 12

    attr_reader :modes

    # rows: a Hash for each period: requests, resident (bytes), written (bytes), tables ({name =>
    # entries})
    # control: the SoakReport of the same program without rperf, which may grow by itself
    def initialize(modes, rows, control: nil)
      @modes = modes
      @rows = rows
      @own_growth = control ? control.resident_growth : 0
    end

    # The table as Markdown, and what grew.
    def text
      names = @rows.last[:tables].keys
      shown = Array.new([LINES, @rows.length].min) { |line| @rows[(line + 1) * @rows.length / [LINES, @rows.length].min - 1] }
      cells = shown.map { |row| [row[:period], row[:requests], megabytes(row[:resident]), row[:written] / 1024, *row[:tables].values] }
      table = Overhead::Table.markdown(["period", "requests", "resident set, MB", "files, KiB", *names], cells)
      "## #{@modes}: #{@rows.length} periods\n\n#{table}\n\n#{verdict}\n"
    end

    # Whether nothing grew beyond its bar.
    def passed? = @rows.length >= 8 && resident_growth - @own_growth <= RESIDENT_BAR && grown_tables.empty?

    # Number of bytes by which the resident set is larger in the last quarter than in the second.
    def resident_growth
      second, last = quarters { |row| row[:resident] }
      last - second
    end

    private

    def verdict
      grown = grown_tables.map { |name| "`#{name}` grew" }
      more = resident_growth - @own_growth
      own = " (the program alone: #{format("%+.2f", @own_growth / 1e6)} MB)" unless @own_growth.zero?
      "From the second quarter to the last:\nresident set #{format("%+.2f", resident_growth / 1e6)} MB#{own}, bar: " \
        "#{megabytes(RESIDENT_BAR)} MB#{" more" if own}#{" missed" if more > RESIDENT_BAR}; #{grown.empty? ? "no table grew" : grown.join(", ")}."
    end

    def grown_tables
      @rows.last[:tables].keys.select do |name|
        second, last = quarters { |row| row[:tables].fetch(name) }
        last > second * TABLE_FACTOR + TABLE_ENTRIES
      end
    end

    # The medians of the second quarter of the periods, and of the last.
    def quarters(&)
      quarter = @rows.length / 4
      [@rows[quarter, quarter], @rows.last(quarter)].map { |rows| Overhead::Statistics.median(rows.map(&)) }
    end

    def megabytes(bytes) = format("%.1f", bytes / 1e6)
  end
end
