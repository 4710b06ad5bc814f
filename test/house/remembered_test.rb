# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "workflow"

# What one would have to remember when something is added: its row, its line, its mode.
class RememberedTest < Minitest::Test
  DECISIONS = Paths.tracked("docs/decisions/[0-9]*.md").map { |path| File.basename(path) }
  SCRIPTS = Paths.tracked.select { |path| path.match?(%r{\A(?:bin|exe|\.ci|bench|script|fuzz)/}) }

  def test_each_decision_is_in_the_index_once_and_has_a_number_of_its_own
    index = text("docs/decisions/README.md").scan(/^\* \[(\d{4})\]\((.*?\.md)\)/)

    assert_equal DECISIONS, index.map(&:last)
    assert_equal DECISIONS.map { |file| file[0, 4] }, index.map(&:first)
    assert_equal DECISIONS.length, DECISIONS.map { |file| file[0, 4] }.uniq.length
  end

  def test_a_decision_that_is_superseded_says_so_at_its_beginning_and_in_the_index
    index = text("docs/decisions/README.md")
    marked = DECISIONS.select { |file| index[/\(#{Regexp.escape(file)}\).*?(?=^\* |\z)/m].include?("superseded)") }
    saying = DECISIONS.select { |file| text("docs/decisions/#{file}").lines.first(4).join.match?(/supersede/i) }

    assert_equal saying, marked
  end

  # `Sampler::forked`, or a module's: a function, a module or a member with this name.
  def test_what_documents_name_in_rust_is_there
    sources = Paths.tracked("ext/**/*.rs").map { |path| text(path) }.join
    defined = sources.scan(/\b(?:fn|mod) (\w+)|^ +(?:pub(?:\([^)]*\))? )?(\w+): /).flatten.compact.to_set
    named = Paths.tracked("docs/internals/*.md", "docs/decisions/*.md").flat_map { |path| text(path).scan(/`(?:\w+::)+([a-z_]+)`/).flatten }
    assert_operator named.length, :>, 20

    assert_empty named.uniq - defined.to_a
  end

  def test_each_cause_of_drops_is_documented
    causes = text("ext/rperf-core/src/collect/counters.rs").scan(/\(Self::\w+, "([a-z ]+)"\)/).flatten
    refute_empty causes
    documented = text("docs/interpreting-results.md").scan(/^\| `([a-z ]+)`/).flatten

    assert_empty causes - documented, "causes without a row in interpreting-results.md"
  end

  def test_each_group_of_tests_has_a_row
    table = text("docs/internals/development.md")[/^\| group \| what \|\n.*?\n\n/m]
    rows = table.lines.flat_map { |line| line[/\A\| (.*?) \|/, 1].to_s.scan(/`(\w+)`/).flatten }

    assert_equal Workflow::GROUPS.sort, (rows + %w[accuracy]).uniq.sort
  end

  def test_the_first_section_of_changes_is_that_of_this_version
    version = text("lib/rperf/version.rb")[/VERSION = "(.*)"/, 1]
    heading = text("CHANGELOG.md")[/^## .*/]

    assert_match(/\A## #{Regexp.escape(version)} \((?:not released|\d{4}-\d\d-\d\d)\)\z/, heading)
  end

  def test_a_file_with_an_interpreter_can_be_executed_and_the_other_way_round
    SCRIPTS.each do |path|
      next if File.symlink?(Paths.of(path))

      assert_equal File.binread(Paths.of(path), 2) == "#!", File.executable?(Paths.of(path)), path
    end
  end

  def test_each_shell_script_stops_at_an_error
    shells = SCRIPTS.select { |path| File.binread(Paths.of(path)).match?(/\A#!.*sh\b/) }
    refute_empty shells
    shells.each { |path| assert_match(/^set -e?u/, text(path), path) }
  end

  private

  def text(path) = File.read(Paths.of(path))
end
