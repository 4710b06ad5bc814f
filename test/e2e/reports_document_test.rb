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

  # Lines that have allocated: class, frame, line, objects, and of them in use, by age: [objects,
  # bytes each, collections, seconds].
  BIRTHPLACES = [
    ["String", %w[log.rb Log#add], 4, 30_000, [[10_000, 48, 64, 50], [10_000, 48, 32, 30], [10_000, 48, 8, 10]]],
    ["Page", %w[cache.rb Cache#fill], 9, 20_000, [[20_000, 50, 128, 55]]],
    ["Array", %w[view.rb View#render], 2, 600_000, [[11_500, 40, 1, 0]]]
  ].freeze

  # A heap profile as a JSON file of rperf.
  def heap_profile
    label_sets, values = [{}], []
    BIRTHPLACES.each_with_index do |(name, _, _, allocated, in_use), place|
      add = lambda { |labels, numbers| values << [place, numbers] and label_sets << {class: name, **labels} }
      add.call({}, [allocated, allocated * 40, 0, 0])
      in_use.each { |objects, bytes, age, seconds| add.call({age:, lived: seconds * 1_000_000_000}, [0, 0, objects, objects * bytes]) }
    end
    types = [%w[alloc_objects count], %w[alloc_space bytes], %w[inuse_objects count], %w[inuse_space bytes]].map { |kind, unit| {kind:, unit:} }
    {rperf: {format: 1}, meta: {mode: "heap", value_type: types.last, value_types: types, duration_ns: 60_000_000_000},
     functions: BIRTHPLACES.map { |_, (path, label)| {label:, path:, start_line: 1} }, label_sets:, stacks: [[0], [1], [2]],
     locations: BIRTHPLACES.each_with_index.map { |(_, _, line), place| [place, line] },
     samples: values.each_with_index.map { |(place, numbers), set| [place, numbers.last, 0, 1, set + 1] }, values: values.map(&:last)}
  end

  def test_the_examples
    assert_operator EXAMPLES.length, :>=, 6
    in_directory do |directory|
      write_file(directory, "rperf.data", JSON.generate(profile))
      write_file(directory, "before.data", JSON.generate(profile([50, 150, 50])))
      write_file(directory, "heap.data", JSON.generate(heap_profile))
      write_file(directory, "shop.rb", DOCUMENT[/^```ruby\n# shop\.rb\n(.*?)^```$/m, 1])
      EXAMPLES.each do |command, expected|
        result = rperf(*command.shellsplit, directory:)
        assert_equal [0, expected], [result.code, result.out], "#{command}\n#{result.err}"
      end
    end
  end

  # The table of "For scripts" has each field of the views that have one of their own.
  def test_the_fields_of_json
    table = DOCUMENT[/^## For scripts\n(.*)/m, 1]
    in_directory do |directory|
      write_file(directory, "rperf.data", JSON.generate(profile))
      write_file(directory, "heap.data", JSON.generate(heap_profile))
      [%w[report --by request], %w[report --labels], %w[report --top], %w[report --leaks heap.data], %w[diff --leaks heap.data heap.data],
       %w[diff --by request rperf.data rperf.data]].each do |words|
        printed = JSON.parse(rperf(*words, "--format", "json", directory:).out)
        refute_empty printed.except("rperf_report")
        assert_empty fields(printed).reject { |name| table.include?("`#{name}`") }, words.join(" ")
      end
    end
  end

  def test_every_view_is_told
    views = Rperf::CLI::COMMANDS.fetch("report").flags.select { |flag| flag.key == :view }.map(&:long)
    [*views, *%w[--by --peek --method --source --focus --tagroot --sample-index --unit]].each do |option|
      assert_includes DOCUMENT, "`#{option}", option
    end
  end

  private

  # The names of all fields in what JSON.parse returns.
  def fields(value)
    case value
    when Hash then value.keys | fields(value.values)
    when Array then value.flat_map { |element| fields(element) }.uniq
    else []
    end
  end
end
