# frozen_string_literal: true

require_relative "../../terminal_lines"

module Rperf
  class CLI
    class Help
      # Markdown as plain text for a terminal: no markup, tables in columns.
      class PlainText
        # Maximum width of a table in columns where the text goes to no terminal. A wider one is
        # written as a paragraph for each row.
        WIDTH = 100
        # The indentation of code.
        CODE = /\A {4}/
        FENCE = /^```[^\n]*\n(.*?)^```\n/m
        TABLE = /(?:^\|.*\n?)+/
        EMPHASIS = /\*\*(.+?)\*\*|(?<![\w*])\*(\w[^*\n]*)\*/m
        LINK = /(!?)\[([^\]]*)\]\(([^)\s]*)\)/m
        # What a link in brackets has become, in brackets itself.
        IN_BRACKETS = /\(([^()]+) \(see ([^()]+)\)\)/
        # Placeholder of a text that is kept as it is, until everything else has been changed.
        PLACE = "\0%d\0"

        # columns: the width of the terminal, or nil where lines may have any length
        def initialize(markdown, columns = nil)
          @markdown = markdown
          @columns = columns
          @kept = []
        end

        # The text, with a line break at its end.
        def to_s
          text = @markdown.gsub(FENCE) { keep(indented(Regexp.last_match(1))) }
          text = text.gsub(/^ {4}.*/) { |line| keep(line) }.gsub(/`([^`]+)`/) { keep(Regexp.last_match(1)) }
          text = text.gsub(LINK) { link(*Regexp.last_match.captures) }.gsub(IN_BRACKETS, '(\1: see \2)')
          text = text.gsub(EMPHASIS, '\1\2').gsub(/^# (.+)/) { Regexp.last_match(1).upcase }.gsub(/^##+ /, "")
          TerminalLines.filled(restored(text.gsub(TABLE) { |table| table(table) }), @columns, kept: CODE)
        end

        private

        def keep(text)
          @kept << text
          format(PLACE, @kept.length - 1)
        end

        def restored(text) = text.gsub(/\0(\d+)\0/) { @kept[Regexp.last_match(1).to_i] }

        def indented(text) = text.gsub(/^(?=.)/, "    ")

        # Returns a link's text, with what it points to unless the text says so.
        def link(image, text, target)
          words = restored(text).split.join(" ")
          place = place(words, target) if image.empty?
          place.nil? || words == place || words.include?("#{place}.md") ? text : "#{text} (see #{place})"
        end

        # Returns a name for `rperf help`, a heading of this text, "decision 5", the path of another
        # file of the repository, or an address. A list of decisions needs none.
        def place(words, target)
          case target.delete_prefix("../").delete_prefix("../")
          when /\A#(.+)/ then heading($1) unless anchor(words) == $1
          when /\A\d+-/ then nil
          when %r{\Adecisions/0*(\d+)-} then "decision #{$1}"
          when %r{\A(?:internals/)?([a-z-]+)(?:/README)?\.md(?:#|\z)} then $1
          when /\A([^#]+)/ then $1
          end
        end

        def heading(anchor)
          found = @markdown.scan(/^##+ (.+)/).flatten.map { |heading| heading.delete("`") }.find { |heading| anchor(heading) == anchor }
          found && %("#{found}")
        end

        # Returns the anchor that GitHub gives to a heading.
        def anchor(heading) = heading.downcase.gsub(/[^\p{Word}\- ]/, "").tr(" ", "-")

        def table(text)
          head, _rule, *rows = text.lines.map { |line| cells(line) }
          widths = [head, *rows].transpose.map { |column| column.map(&:length).max }
          widths.sum + 2 * widths.length <= (@columns || WIDTH) ? columns([head, *rows], widths) : paragraphs(head, rows)
        end

        # Splits a row into cells. A bar within a cell is written with a backslash.
        def cells(line) = restored(line.strip).sub(/\A\|/, "").sub(/(?<!\\)\|\z/, "").split(/(?<!\\)\|/, -1).map { |cell| cell.strip.gsub("\\|", "|") }

        def columns(rows, widths)
          rows.map { |row| "#{row.zip(widths).map { |cell, width| cell.ljust(width) }.join("  ").rstrip}\n" }.join
        end

        # Writes "CELL", and below it "heading: cell" for the other columns.
        def paragraphs(head, rows)
          rows.map do |first, *others|
            named = head.drop(1).zip(others).reject { |_name, cell| cell.to_s.empty? }
            lines = named.map { |name_and_cell| TerminalLines.hanging("    ", name_and_cell.reject(&:empty?).join(": "), @columns) }
            [first, *lines].map { |line| "#{line}\n" }.join
          end.join
        end
      end
    end
  end
end
