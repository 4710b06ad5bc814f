# frozen_string_literal: true

module Charts
  # A document with tables below its headings.
  class Document
    TABLE = /(?:^\|.*\|\n)+/

    # A table as lines of Markdown.
    def self.table(heads, rows)
      [heads, heads.each_index.map { |index| index.zero? ? "---" : "---:" }, *rows].map { |cells| "| #{cells.join(" | ")} |\n" }.join
    end

    def initialize(text)
      @text = text
    end

    # Returns a document with this table in place of the first one below the heading.
    def with_table(heading, table)
      before, found, after = @text.partition(/^##+ #{Regexp.escape(heading)}\n/)
      raise ArgumentError, "there is no heading '#{heading}'" if found.empty?
      Document.new(before + found + after.sub(TABLE) { table })
    end

    def to_s = @text
  end
end
