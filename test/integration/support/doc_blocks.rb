# frozen_string_literal: true

require_relative "../../support/documents"

# The Ruby blocks of docs/rails.md, each the contents of the file that its first line names.
module DocBlocks
  DOCUMENT = "docs/rails.md"
  PATH = File.join(ROOT, DOCUMENT)

  # {["Sinatra", "app.rb"] => "require ..."}: by the heading above and the file. One without a file
  # has nil there.
  def self.all
    blocks = Documents.blocks.select { |block| block.document == DOCUMENT && block.language.start_with?("ruby") }
    blocks.to_h { |block| [[block.heading, block.file], block.text] }
  end

  # The text of one block.
  def self.fetch(heading, file) = all.fetch([heading, file])
end
