# frozen_string_literal: true

require_relative "native"

module Rperf
  # Lines that fit on a terminal. columns: its width, or nil where lines may have any length
  module TerminalLines
    # Minimum number of characters of a text beside what stands in front of it.
    LEAST = 20
    # Mark in place of a part that was cut.
    CUT = "\u2026"
    # What stands before the text of a line: spaces, and a bullet, or all up to the last gap.
    HEAD = /\A(?: *(?:[*-]|\d+\.) (?! )| *(?:\S.* {2,})?)/
    NONE = /(?!)/
    private_constant :LEAST, :HEAD, :NONE

    # Returns a text behind `head`, without a line break at its end. A line that is too long is
    # broken at spaces, and further lines begin below the text. A long word stays whole.
    def self.hanging(head, text, columns)
      return head + text unless columns && head.length + text.length > columns
      room = [columns - head.length, LEAST].max
      head + text.scan(/\S.{0,#{room - 2}}\S(?!\S)|\S+/).join("\n#{" " * head.length}")
    end

    # Returns a text whose lines are broken where the terminal ends. Lines of a paragraph, which
    # have the same indentation, are joined if one of them is too long. What stands behind a bullet
    # or a gap stays below its beginning. kept: the indentation of lines that stay as they are
    def self.filled(text, columns, kept: NONE)
      return text unless columns
      lines = text.lines("\n", chomp: true).map { |line| [line[HEAD], line.sub(HEAD, "")] }
      paragraphs = lines.slice_when do |(above, before), (head, behind)|
        before.empty? || behind.empty? || !head.strip.empty? || head.length != above.length || kept.match?(head)
      end
      paragraphs.map { |paragraph| kept.match?(paragraph.first.first) ? paragraph.first.join("") : paragraph(paragraph, columns) }.join("\n") + "\n"
    end

    def self.paragraph(lines, columns)
      whole = lines.map(&:join)
      return whole.join("\n") if whole.all? { |line| line.length <= columns }
      hanging(lines.first.first, lines.map(&:last).join(" "), columns)
    end
    private_class_method :paragraph

    # Returns a name that is cut, as in reports, if the line is too short: an endpoint with its
    # action, such as "GET /users/:id UsersController#show", loses the end of its path, most others
    # lose their own end. beside: number of characters of the rest of the line
    def self.cut(name, beside, columns)
      columns ? Native.shortened(name, [columns - beside, LEAST].max) : name
    end

    # Returns "name (path)" of a function, which is cut as in tables of functions.
    def self.function(name, path, beside, columns)
      columns ? Native.name_and_path(name, path, [columns - beside, LEAST].max) : "#{name} (#{path})"
    end
  end
end
