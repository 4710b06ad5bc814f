# frozen_string_literal: true

# Writes what the documents show of bench/results: docs/images/wrong-method.svg, and the tables of
# docs/accuracy.md. The test in test/bench/charts_test.rb compares them.

require_relative "charts/bars"
require_relative "charts/comparison"
require_relative "charts/document"
require_relative "charts/result_file"

module Charts
  ROOT = File.expand_path("..", __dir__)
  PICTURE = "docs/images/wrong-method.svg"
  DOCUMENT = "docs/accuracy.md"
  # The headings below which the tables are.
  OWN = "rperf"
  OTHERS = "Beside other ways to sample"

  module_function

  # {path => text} of what is written.
  def files
    compared = Comparison.new(result("compared"))
    document = Document.new(File.read(File.join(ROOT, DOCUMENT)))
    text = document.with_table(OWN, means.table).with_table(OTHERS, compared.table).to_s
    {PICTURE => Bars.new(compared.bars, compared.title, compared.subtitle).svg, DOCUMENT => text}
  end

  # The means of rperf alone.
  def means = Means.new(result("accuracy"))

  def comparison = Comparison.new(result("compared"))

  def result(name) = ResultFile.new(File.read(File.join(ROOT, "bench/results/#{name}.md")))
end

Charts.files.each { |path, text| File.write(File.join(Charts::ROOT, path), text) } if $PROGRAM_NAME == __FILE__
