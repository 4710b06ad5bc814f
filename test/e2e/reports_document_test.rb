# frozen_string_literal: true

require "json"
require "shellwords"
require_relative "../support/program"
require "rperf/cli"

# The examples of docs/reports.md are what rperf prints.
class ReportsDocumentTest < Minitest::Test
  include ProgramSupport

  DOCUMENT = File.read(File.join(ROOT, "docs", "reports.md"))
  EXAMPLES = DOCUMENT.scan(/^```text\n\$ rperf ((?:report|diff) [^\n]+)\n(.*?)^```$/m).freeze
  # [frame, line] from the leaf to the root, milliseconds, labels.
  STACKS = [
    [[%w[shop.rb Shop#price], 7, 6], [%w[shop.rb Shop#total], 3, 2], [["<C method>", "Array#sum"], 0, 0]],
    [[%w[shop.rb Shop#total], 3, 2], [["<C method>", "Array#sum"], 0, 0]],
    [[["<C method>", "Array#sum"], 0, 0]]
  ].freeze
  CALLERS = [[%w[shop.rb Shop#total], 3, 2], [["shop.rb", "<main>"], 10, 1]].freeze
  MILLISECONDS = [200, 150, 50].freeze

  # The profile as a JSON file of rperf.
  def profile(milliseconds = MILLISECONDS)
    frames = (STACKS.flatten(1) + CALLERS).uniq
    functions = frames.map { |(path, label), _line, start| {label:, path:, start_line: start} }.uniq
    locations = frames.map { |(path, label), line, start| [functions.index({label:, path:, start_line: start}), line] }
    stacks = STACKS.map { |stack| (stack + CALLERS).map { |frame| frames.index(frame) } }
    samples = milliseconds.each_with_index.map { |time, index| [index, time * 1_000_000, time, 1, index.zero? ? 1 : 0] }
    {rperf: {format: 1}, meta: {mode: "cpu", frequency: 1000, duration_ns: 400_000_000}, functions:, locations:,
     label_sets: [{}, {request: "abc"}], stacks:, samples:}
  end

  def test_the_examples
    assert_operator EXAMPLES.length, :>=, 6
    in_directory do |directory|
      write_file(directory, "rperf.data", JSON.generate(profile))
      write_file(directory, "before.data", JSON.generate(profile([50, 150, 50])))
      write_file(directory, "shop.rb", DOCUMENT[/^```ruby\n# shop\.rb\n(.*?)^```$/m, 1])
      EXAMPLES.each do |command, expected|
        result = rperf(*command.shellsplit, directory:)
        assert_equal [0, expected], [result.code, result.out], "#{command}\n#{result.err}"
      end
    end
  end

  def test_every_view_is_told
    views = Rperf::CLI::COMMANDS.fetch("report").flags.select { |flag| flag.key == :view }.map(&:long)
    [*views, *%w[--by --peek --method --source --focus --tagroot --sample-index --unit]].each do |option|
      assert_includes DOCUMENT, "`#{option}", option
    end
  end
end
