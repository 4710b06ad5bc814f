# frozen_string_literal: true

require_relative "formats"
require_relative "stat_rows"
require_relative "stat_section"
require_relative "terminal_lines"
require_relative "utf8"

module Rperf
  # The output of `rperf stat`: where the time went, and the resources that the process used.
  #
  # profiles: for each mode the Native::Profile (of all processes together); none if none was left
  # stats, times: see StatRows
  # command: the command's words, in any encoding
  # tables:  whether the flat and cumulative tables follow
  # idle:    whether the time in which threads waited for work counts
  # columns: the width of the terminal, or nil where lines may have any length
  class StatReport
    # Maximum number of bytes of the command in the heading.
    LONGEST_COMMAND = 500

    def initialize(profiles, stats:, command:, times:, tables: false, idle: false, columns: nil)
      @sections = sections(profiles, idle)
      @blocks = StatRows.new(@sections.map(&:busy), stats:, times:).blocks
      @command = as_text(command)
      @tables, @columns = tables, columns
    end

    # Returns the whole text.
    def to_s
      parts = [*blocks, "#{@sections.map(&:folded).join("")}#{footer}#{tables}"]
      "\n Performance stats for '#{@command}'#{runs}:\n\n#{parts.reject(&:empty?).join("\n")}\n"
    end

    private

    def sections(profiles, idle) = profiles.map { |profile| StatSection.new(profile, idle:, named: profiles.length > 1) }

    # Returns the text of each block of rows. (The second one is that of the first section.)
    def blocks
      headings = [nil, *@sections.map(&:heading)]
      @blocks.zip(headings).map { |rows, heading| "#{heading}#{rows.map { |row| line(row) }.join("")}" }
    end

    # Returns the command in one line, marked as UTF-8 like the text around it.
    def as_text(command)
      line = UTF8.printable(command.b.split.join(" ").force_encoding(Encoding::UTF_8))
      line.bytesize > LONGEST_COMMAND ? "#{line.byteslice(0, LONGEST_COMMAND).scrub("")}..." : line
    end

    # Returns the number of runs if there were several.
    def runs = nil

    # Returns a line of three columns: a number with its unit, a share, a name.
    def line(row)
      broken(format("%14s %-2s %7s  ", *row.figure, row.share), [row.name, row.note].compact.join(" "))
    end

    # Returns figures with a name behind them. The name may take several lines of a terminal.
    def broken(figures, name) = "#{TerminalLines.hanging(figures, name, @columns).rstrip}\n"

    def footer = @sections.map(&:footer).join("")

    def tables = (@sections.map { |section| section.tables(@columns) }.join("") if @tables)
  end
end
