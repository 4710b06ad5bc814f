# frozen_string_literal: true

require_relative "test_helper"

# The documents of the checkout, and what they show in blocks.
module Documents
  PATHS = Dir[File.join(ROOT, "{README,CHANGELOG,CONTRIBUTING,SECURITY,docs/**/*}.md")].sort.freeze
  FENCE = /^```(?<language>[^\n]*)\n(?<text>.*?)^```$/m
  # Below the title of a document.
  HEADING = /^##+ (.+)$/

  Block = Struct.new(:document, :heading, :line, :language, :text, keyword_init: true) do
    # "docs/cli.md, line 12"
    def to_s = "#{document}, line #{line}"

    # What a block of text begins with, if it shows a command: "rperf help record".
    def command = text[/\A\$ (.*)$/, 1]

    # The file of an application that the block is: "config.ru" for "ruby file=config.ru". Such a
    # block needs the libraries of the application; a test that has them runs it.
    def file = language[/\Aruby file=(\S+)\z/, 1]
  end

  # Every block of every document, in order.
  def self.blocks
    @blocks ||= PATHS.flat_map { |path| blocks_of(path) }
  end

  # What links call the headings of a document, as GitHub does.
  def self.anchors(path)
    headings = File.read(path).gsub(FENCE, "").scan(/^#+ (.+)$/).flatten
    headings.map { |heading| heading.downcase.gsub(/[^\p{Word}\- ]/, "").tr(" ", "-") }
  end

  # The text of the one block of a document that is this file of an application.
  def self.file(document, name)
    found = blocks.select { |block| block.document == document && block.file == name }
    raise ArgumentError, "#{document} has #{found.length} blocks for #{name}" unless found.one?
    found.first.text
  end

  def self.blocks_of(path)
    text = File.read(path)
    text.to_enum(:scan, FENCE).map do
      match = Regexp.last_match
      Block.new(document: path.delete_prefix("#{ROOT}/"), heading: match.pre_match.scan(HEADING).dig(-1, 0),
        line: match.pre_match.count("\n") + 1, language: match[:language], text: match[:text])
    end
  end
  private_class_method :blocks_of
end
