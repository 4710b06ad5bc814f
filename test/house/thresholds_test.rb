# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"

# docs/internals/thresholds.md names constants that are there, in the files that it names.
class ThresholdsTest < Minitest::Test
  TEXT = File.read(Paths.of("docs/internals/thresholds.md"))
  # A row's first cell: "`READS`, `TRIES` (`vm/remote/stack.rs`)".
  CELL = /^\| (`[^|]+`) \(`([^`]+)`\) \|/
  # "Paths are below `lib/rperf`.", which a section says.
  BELOW = /^Paths are below `([^`]+)`/
  PLACES = ["", "ext/rperf/src", "lib/rperf"].freeze

  def test_each_constant_is_in_its_file
    rows = rows_of(TEXT)
    assert_operator rows.length, :>, 80
    rows.each do |names, path|
      file = source(path)
      assert file, "there is no #{path}"
      names.each { |name| assert_match(/\b(?:const|fn|struct) #{name}\b|^ *#{name} = |\b#{name}, [A-Z_, ]*= /, file, "#{path} has no #{name}") }
    end
  end

  def test_every_row_names_a_constant_and_a_file
    rows = TEXT.lines.count { |line| line.start_with?("| ") && !line.start_with?("| constant |", "|---") }
    assert_equal rows, rows_of(TEXT).length
  end

  def test_rows_of_a_section_with_a_directory_of_its_own
    assert_equal [[%w[A B], "lib/x/y.rb"], [%w[C], "core/z.rs"]], rows_of("## One\n\nPaths are below `lib/x`.\n\n| `A`, `B` (`y.rb`) | 1 |\n## Two\n| `C` (`core/z.rs`) |\n")
  end

  private

  # [[names, path], ...]
  def rows_of(text)
    text.split(/^## /).flat_map do |section|
      below = section[BELOW, 1]
      section.scan(CELL).map { |names, path| [names.scan(/`(\w+)`/).flatten, [below, path].compact.join("/")] }
    end
  end

  # The text of a file, or of all in a directory; `core/` is the core crate.
  def source(path)
    candidates = [path.sub(%r{\Acore/}, "ext/rperf-core/src/"), *PLACES.map { |place| File.join(place, path) }]
    found = candidates.map { |candidate| Paths.of(candidate.delete_prefix("/")) }.find { |candidate| File.exist?(candidate) } or return
    files = File.directory?(found) ? Dir[File.join(found, "**/*.rs")] : [found]
    files.map { |file| File.read(file) }.join
  end
end
