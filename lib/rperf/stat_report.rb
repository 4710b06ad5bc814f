# frozen_string_literal: true

require_relative "formats"
require_relative "stat_rows"
require_relative "stat_section"

module Rperf
  # What `rperf stat` prints: where the time went, and what the process used.
  #
  # profiles: of each mode the Native::Profile (of all processes together)
  # stats, times: see StatRows
  # command: its words, in whatever bytes
  # tables:  whether the flat and cumulative tables follow
  # idle:    whether the time counts in which threads waited for work
  class StatReport
    def initialize(profiles, stats:, command:, times:, tables: false, idle: false)
      @sections = sections(profiles, idle)
      @blocks = StatRows.new(@sections.map(&:busy), stats:, times:).blocks
      @command = as_text(command)
      @tables = tables
    end

    # The whole text.
    def to_s
      parts = @blocks.map { |rows| rows.map { |row| line(row) }.join }
      "\n Performance stats for '#{@command}'#{runs}:\n\n#{parts.join("\n")}\n#{@sections.map(&:folded).join}#{footer}#{tables}\n"
    end

    private

    def sections(profiles, idle) = profiles.map { |profile| StatSection.new(profile, idle:) }

    # What is beside it is UTF-8.
    def as_text(command) = command.dup.force_encoding(Encoding::UTF_8)

    # How many runs there were, where it was more than one.
    def runs = nil

    # Three columns: a number with its unit, a share, a name.
    def line(row)
      format("%14s %-2s %7s  %s", *row.figure, row.share, [row.name, row.note].compact.join(" ")).rstrip + "\n"
    end

    def footer = @sections.map(&:footer).join

    def tables = (@sections.map(&:tables).join if @tables)
  end
end
