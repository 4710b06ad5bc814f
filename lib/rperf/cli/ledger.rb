# frozen_string_literal: true

require_relative "../ledger"
require_relative "../terminal_lines"
require_relative "../utf8"
require_relative "remote"
require_relative "terminal"

module Rperf
  class CLI
    # `rperf ledger`: prints the ledger of units of work of a process.
    class Ledger < Remote
      # Headings of the columns with times, and the figure of the ledger that each shows.
      TIMES = {"mean" => :mean_ns, "p95" => :p95_ns, "wall" => :wall_ns, "CPU" => :cpu_ns, "GVL wait" => :gvl_wait_ns,
               "blocked" => :blocked_ns, "collector" => :gc_ns}.freeze
      HEADINGS = ["kind", "units", "errors", *TIMES.keys, "name"].freeze
      # Number of columns that names have on a terminal in any case.
      LEAST_NAME = 30

      # Prints the ledger; returns the exit status.
      def call
        text = client.request("GET", "/ledger")
        $stdout.write(@values[:layout] == :json ? text : table(JSON.parse(text, symbolize_names: true).fetch(:ledger)))
        0
      end

      private

      # Formats the rows as a table, the one with most CPU time first.
      def table(rows)
        return "no unit of work has ended in process #{pid} while a session ran\n" if rows.empty?
        cells = [HEADINGS.dup, *rows.sort_by { |row| [-row[:cpu_ns], row[:name]] }.map { |row| cells(row) }]
        widths = cells.transpose.map { |column| column.map(&:length).max }
        left_out = too_many(widths)
        [widths, *cells].each { |row| row.slice!(-1 - left_out, left_out) }
        cells.map { |row| line(row, widths) }.join
      end

      # Returns how many of the last times have no room on the terminal beside names.
      def too_many(widths)
        room = (columns or return 0) - [widths.last, LEAST_NAME].min
        (0..TIMES.length).find { |count| widths[0...-1 - count].sum { |width| width + 2 } <= room } || TIMES.length
      end

      def cells(row)
        times = TIMES.values.map { |figure| row[figure] ? Numbers.duration(row[figure]) : "-" }
        [row[:kind], Numbers.grouped(row[:units]), Numbers.grouped(row[:errors]), *times, UTF8.printable(row[:name])]
      end

      # Formats a row. The name is last, since it may have any length. On a terminal it may lose its
      # end.
      def line(cells, widths)
        figures = "#{cells.first.ljust(widths.first)}  #{cells[1..-2].zip(widths[1..-2]).map { |cell, width| cell.rjust(width) }.join("  ")}  "
        "#{figures}#{TerminalLines.cut(cells.last, figures.length, columns)}\n"
      end

      def columns = @columns ||= Terminal.new.columns
    end
  end
end
