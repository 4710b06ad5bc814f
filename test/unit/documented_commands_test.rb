# frozen_string_literal: true

require_relative "../support/documents"
require "rperf/cli"

# What the text of the documents calls a command, an option or a keyword is one.
class DocumentedCommandsTest < Minitest::Test
  COMMANDS = Rperf::CLI::COMMANDS
  # Those of today: changes and decisions speak of their own time.
  PATHS = Documents::PATHS.grep_v(%r{/CHANGELOG\.md\z|/decisions/}).freeze
  # Code within a line. What lies between fences has tests of its own.
  SPANS = PATHS.flat_map do |path|
    text = File.read(path).gsub(Documents::FENCE, "")
    text.scan(/`([^`]+)`/).flatten.map { |span| [path.delete_prefix("#{ROOT}/"), span.gsub(/\s+/, " ")] }
  end.freeze

  def test_commands
    unknown = commands.reject { |_, name, _| COMMANDS.key?(name) }
    assert_operator commands.length, :>, 100
    assert_empty unknown
  end

  def test_options_of_commands
    wrong = commands.select { |_, name, _| COMMANDS.key?(name) }.flat_map do |document, name, words|
      # A program that is run has options of its own.
      own = COMMANDS[name].runs_program? ? words[/\A(?:-\S+(?: [^-\s]\S*)? ?)*/] : words
      (own.scan(/(?<=\A| )(--[a-z][\w-]*)/).flatten - COMMANDS[name].flags.map(&:long)).map { |option| "#{document}: #{name} #{option}" }
    end
    assert_empty wrong
  end

  def test_options_by_themselves
    options = SPANS.select { |_, span| span.match?(/\A--[a-z][\w-]*(?: |\z)/) }.map { |document, span| [document, span[/\A\S+/]] }
    assert_operator options.length, :>, 50
    assert_empty options.reject { |document, option| known.include?(option) || of_others?(document) }
  end

  def test_keywords_of_sessions
    given = SPANS.flat_map do |document, span|
      span[/\ARperf\.start\((.*?)\)/, 1].to_s.scan(/(?<![\w:])([a-z_]+):(?!:)/).flatten.map { |keyword| [document, keyword] }
    end
    refute_empty given
    assert_empty given.reject { |_, keyword| Rperf::Options::TABLE.key?(keyword.to_sym) }
  end

  private

  # [document, command, the rest of the words]
  def commands
    @commands ||= SPANS.filter_map do |document, span|
      found = /\A(?:bin\/)?rperf ([a-z][\w-]*)(?: (.*))?\z/.match(span)
      [document, found[1], found[2].to_s] if found
    end
  end

  def known = COMMANDS.values.flat_map(&:flags).map(&:long)

  # Documents that speak of other programs' options, too.
  def of_others?(document) = %w[docs/migrating.md docs/internals/development.md docs/internals/benchmarks.md].include?(document)
end
