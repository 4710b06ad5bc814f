# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "../../script/charts"

# What README.md and the documents show of bench/results is what is there.
class ChartsTest < Minitest::Test
  README = File.read(Paths.of("README.md"))
  OVERHEAD = Paths.of("bench/results/overhead.md")
  FLEET = File.read(Paths.of("bench/results/fleet.md"))
  NUMBERS = %w[none one two three four five six seven eight nine ten eleven twelve].freeze
  RESULTS = <<~MARKDOWN
    # Accuracy

    ## quiet: quiet

    Bar for the mean: 1.2 %.

    | case | tick, wall, yjit | safepoint, wall, yjit | rbspy, wall, yjit |
    | --- | ---: | ---: | ---: |
    | C & Ruby | 0.36 | 16.59 | 127.54 (40.10) |
    | fibers | 1.64 | 30.00 | failed |
    | **mean** | 1.00 | 23.30 | 63.77 (20.05) |
  MARKDOWN

  def test_what_is_written_is_what_the_results_say
    Charts.files.each { |path, text| assert_equal text, File.read(Paths.of(path)), "run script/charts.rb: #{path}" }
  end

  def test_the_readme_shows_the_chart
    assert_includes README, "](#{Charts::PICTURE})"
  end

  # Each figure in per cent outside of code is one of a result file.
  def test_each_figure_of_the_readme_is_one_of_the_results
    means = Charts.comparison.means.values.map { |mean| format("%.1f %%", mean) }
    figures = [*means, Charts.means.mean("quiet", "tick, wall, interpreter"), *overheads]
    prose = README.gsub(/^```.*?^```/m, "").gsub(/\s+/, " ")
    shown = prose.scan(/\d[\d.]*(?: to \d[\d.]*)? %/)
    assert_equal figures.sort, shown.sort
  end

  def test_the_readme_says_how_many_programs
    compared, more = Charts.comparison, Charts.means.count - Charts.comparison.count
    prose = README.gsub(/\s+/, " ")
    assert_includes prose, "#{NUMBERS.fetch(compared.count).capitalize} small programs measured"
    assert_includes prose, "Over the #{NUMBERS.fetch(compared.complete_count)} that all three profilers completed"
    assert_includes prose, "over these and #{more} more programs"
  end

  # That of short programs, those of short threads in both modes, and the limit of all others.
  def test_the_worst_figures_of_the_accuracy_document
    paragraph = File.read(Paths.of(Charts::DOCUMENT))[/^Of all figures, the worst is.*?(?=\n\n)/m]
    assert_equal Charts.means.worst(4).map { |error| "#{error.round(1)} %" }, paragraph.scan(/\d+\.\d %/)
    assert_includes File.read(Paths.of(Charts::DOCUMENT)), "(#{Charts.means.count} programs, "
  end

  def test_the_overhead_that_documents_name
    %w[docs/overhead.md docs/faq.md].each do |file|
      text = File.read(Paths.of(file)).gsub(/\s+/, " ")
      overheads.each { |range| assert_includes text, range, file }
    end
  end

  # What the overhead does to the program's own speed, and what an agent and a recorder cost.
  def test_the_slowness_that_the_overhead_document_names
    text = File.read(Paths.of("docs/overhead.md"))
    rails = File.read(OVERHEAD)[/^## Rails requests.*?(?=^## )/m]
    [["at 1000 Hz", "(?:cpu|wall)"], ["at 99 Hz", "(?:cpu|wall), 99 Hz"]].each do |frequency, modes|
      assert_match(/^\|.* #{frequency} \| #{range(rails, modes, column: 2)} more \|/, text)
    end
    FLEET.scan(/^\| p99 .*? (\d\.\d) ms \| 2\.0 ms \|\n\| CPU seconds .*? \+([\d.]+) % /).each do |later, more|
      assert_match(/^\|.*\| #{more} % more CPU time.* #{later} ms later/, text)
      assert_includes File.read(Paths.of("docs/production.md")).gsub(/\s+/, " "), "rose by #{later} ms"
    end
  end

  def test_what_watching_objects_costs
    watching = Charts::Watching.new(<<~MARKDOWN)
      ## rails, interpreter: 1.2 million objects a second

      | alloc, direct | 1.081 [1.032, 1.125] | 1.05 missed |

      ## rails, yjit: 1.0 million objects a second

      | alloc, direct | 1.044 [0.981, 1.108] | 1.05 |
    MARKDOWN
    assert_equal [1.081, 1.044], watching.factors("rails", "alloc, direct")
  end

  def test_errors_of_a_result_file
    bars = Charts::Comparison.new(Charts::ResultFile.new(RESULTS)).bars
    assert_equal [["C & Ruby", [0.36, 16.59, 40.1]], ["fibers", [1.64, 30.0, nil]]], bars
  end

  def test_means_are_of_cases_that_all_have_done
    assert_equal({"rperf" => 0.36, "at safepoints" => 16.59, "rbspy" => 40.1}, Charts::Comparison.new(Charts::ResultFile.new(RESULTS)).means)
  end

  def test_a_picture
    svg = Charts::Bars.new([["C & Ruby", [0.36, 90.0, nil]]], "A title", "And more").svg
    assert_includes svg, ">C &amp; Ruby<"
    assert_equal 1, svg.scan(">90.0<").length
    assert_equal 1, svg.scan("no result").length
  end

  def test_a_document_without_the_heading
    assert_raises(ArgumentError) { Charts::Document.new("# A\n").with_table("B", "| c |\n") }
  end

  private

  # Of programs that compute at 1000 Hz, of Rails requests at 1000 and 99 Hz, and of those in a
  # server.
  def overheads
    newest, rails, server = ["", "Rails requests", "Rails in Puma"].map { |title| File.read(OVERHEAD)[/^## #{title}.*?(?=^## )/m] }
    watched = Charts.watching.factors("rails", "cpu").map { |factor| (factor - 1) * 100 }
    [range(newest, "(?:cpu|wall)"), range(rails, "(?:cpu|wall)", besides: watched), range(rails, "(?:cpu|wall), 99 Hz"),
     range(server, "wall, (?:99|10) Hz"), "#{most_at_99_hz} %"]
  end

  # Of programs that compute: a whole number of per cent that the largest is below.
  def most_at_99_hz = File.read(OVERHEAD)[/^## Continuous.*?(?=^## )/m].scan(/^\| (?:rperf.*|agent) \| \+([\d.]+) %/).flatten.map { Float(it) }.max.ceil

  # The least and the largest time above that of the program alone in these rows of a section, and
  # in what was measured elsewhere, as whole numbers around them. column: 1 is CPU time, 2 wall time
  def range(section, modes, column: 1, besides: [])
    shares = section.scan(/^\| rperf, #{modes} (?:\|[^|]*){#{column - 1}}\| \+([\d.]+) %/).flatten.map { |share| Float(share) } + besides
    "#{shares.min.floor} to #{shares.max.ceil} %"
  end
end
