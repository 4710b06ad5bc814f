# frozen_string_literal: true

require_relative "../../support/test_helper"

# The Ruby blocks of docs/integrations.md, each the contents of the file that its first line names.
module DocBlocks
  PATH = File.join(ROOT, "docs", "integrations.md")
  HEADING = /^##+ (.+)$/
  BLOCK = /^```ruby ?(?:file=(\S+))?\n(.*?)^```$/m

  # {["Sinatra", "app.rb"] => "require ..."}: by the heading above and the file. One without a file has nil there.
  def self.all
    @all ||= begin
      text = File.read(PATH)
      text.to_enum(:scan, BLOCK).to_h do
        match = Regexp.last_match
        [[match.pre_match.scan(HEADING).last.first, match[1]], match[2]]
      end
    end
  end

  # The text of one block.
  def self.fetch(heading, file) = all.fetch([heading, file])
end
