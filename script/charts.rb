# frozen_string_literal: true

# Writes the parts of the documents that show results of bench/results:
# docs/images/wrong-method.svg, the tables of docs/accuracy.md, and the table of costs in
# docs/memory.md. The test in test/bench/charts_test.rb compares them.

require_relative "charts/bars"
require_relative "charts/comparison"
require_relative "charts/document"
require_relative "charts/result_file"
require_relative "charts/watching"

module Charts
  ROOT = File.expand_path("..", __dir__)
  PICTURE = "docs/images/wrong-method.svg"
  DOCUMENT = "docs/accuracy.md"
  MEMORY = "docs/memory.md"
  # Headings above the tables.
  OWN = "rperf"
  OTHERS = "Beside other ways to sample"
  COSTS = "What it costs"

  module_function

  # Files to write: {path => text}
  def files
    compared = Comparison.new(result("compared"))
    accuracy = Document.new(read(DOCUMENT)).with_table(OWN, means.table).with_table(OTHERS, compared.table)
    memory = Document.new(read(MEMORY)).with_table(COSTS, watching.table)
    {PICTURE => Bars.new(compared.bars, compared.title, compared.subtitle).svg, DOCUMENT => accuracy.to_s, MEMORY => memory.to_s}
  end

  # Returns the means of rperf alone.
  def means = Means.new(result("accuracy"))

  def comparison = Comparison.new(result("compared"))

  # Returns the costs of watching objects.
  def watching = Watching.new(read("bench/results/allocations.md"))

  def result(name) = ResultFile.new(read("bench/results/#{name}.md"))

  def read(path) = File.read(File.join(ROOT, path))
end

Charts.files.each { |path, text| File.write(File.join(Charts::ROOT, path), text) } if $PROGRAM_NAME == __FILE__
