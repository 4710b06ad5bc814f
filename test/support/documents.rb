# frozen_string_literal: true

require_relative "test_helper"

# The documents of the checkout, and what they show in blocks.
module Documents
  PATHS = Dir[File.join(ROOT, "{README,CHANGELOG,docs/**/*}.md")].sort.freeze
  FENCE = /^```(?<language>[^\n]*)\n(?<text>.*?)^```$/m

  Block = Struct.new(:document, :line, :language, :text, keyword_init: true) do
    # "docs/cli.md, line 12"
    def to_s = "#{document}, line #{line}"

    # What a block of text begins with, if it shows a command: "rperf help record".
    def command = text[/\A\$ (.*)$/, 1]
  end

  # Every block of every document, in order.
  def self.blocks
    @blocks ||= PATHS.flat_map { |path| blocks_of(path) }
  end

  def self.blocks_of(path)
    text = File.read(path)
    text.to_enum(:scan, FENCE).map do
      match = Regexp.last_match
      Block.new(document: path.delete_prefix("#{ROOT}/"), line: text[0, match.begin(0)].count("\n") + 1, language: match[:language], text: match[:text])
    end
  end
  private_class_method :blocks_of
end
