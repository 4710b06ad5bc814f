# frozen_string_literal: true

module Overhead
  # Tables as Markdown.
  module Table
    def self.markdown(heads, rows)
      rule = heads.map.with_index { |_head, index| index.zero? ? "---" : "---:" }
      [heads, rule, *rows].map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
    end
  end
end
