# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Reports that are longer than memory should have to be: they leave in parts, and end quietly when
# their reader does.
class LongReportsTest < Minitest::Test
  include ProgramSupport

  PEAK = File.join(ROOT, "bench", "report", "peak")
  STACKS = 6_000
  DEPTH = 60
  # Characters of each name, so that a small profile has long reports.
  NAME = 1_000

  # The formats that repeat names, and the other views that are as long as the profile.
  LONG_VIEWS = [%w[--collapsed], %w[--traces], %w[--traces --format json]].freeze
  VIEWS = [*LONG_VIEWS, %w[--callgrind], %w[--speedscope], %w[--firefox]].freeze

  def test_long_reports_leave_in_parts
    with_profile do |directory|
      short = peak(directory, "--top")
      LONG_VIEWS.each do |words|
        extra = peak(directory, *words) - short
        assert_operator extra, :<, STACKS * DEPTH * NAME / 3 / 1000, "#{words}: kB beyond those of a short report"
      end
    end
  end

  def test_a_reader_that_leaves_early
    with_profile do |directory|
      VIEWS.each do |words|
        script = "\"$0\" \"$@\" | head -c 100 | wc -c"
        result = run_program("/bin/sh", "-c", script, RUBY, RPERF, "report", *words, "large.json", directory:)
        assert_equal ["100\n", ""], [result.out.sub(/\A +/, ""), result.err], words.join(" ")
      end
    end
  end

  def test_a_converted_file_is_there_as_a_whole_or_not_at_all
    with_profile do |directory|
      result = rperf("convert", "large.json", "large.collapsed", directory:)
      assert_equal [0, "", ""], [result.code, result.out, result.err]
      assert_equal run_program(RUBY, RPERF, "report", "--collapsed", "large.json", directory:).out, File.read(File.join(directory, "large.collapsed"))
      result = run_program("/bin/sh", "-c", "ulimit -f 100; \"$0\" \"$@\"", RUBY, RPERF, "convert", "large.json", "full.collapsed", directory:)
      assert_equal 1, result.code
      assert_match(/\Arperf: cannot write '.*full\.collapsed': /, result.err)
      assert_empty Dir.children(directory).grep(/full/)
    end
  end

  private

  def with_profile
    in_directory do |directory|
      write_file(directory, "large.json", JSON.generate(document))
      yield directory
    end
  end

  # Each stack is another.
  def document
    random = Random.new(1)
    functions = Array.new(100) { |number| {label: "method_#{number}".ljust(NAME, "x"), path: "a.rb", start_line: 1} }
    {
      rperf: {format: 1, version: "0.1.0"}, meta: {mode: "cpu", aggregated: true}, functions:,
      locations: functions.each_index.map { |function| [function, 2] }, label_sets: [{}],
      stacks: Array.new(STACKS) { Array.new(DEPTH) { random.rand(functions.size) } },
      samples: Array.new(STACKS) { |stack| [stack, 1_000, 1, 1, 0] }
    }
  end

  # In kB.
  def peak(directory, *words)
    result = run_program("/bin/sh", "-c", "\"$0\" \"$@\" >#{File::NULL}", RUBY, "-r", PEAK, RPERF, "report", *words, "large.json", directory:)
    assert_equal 0, result.code, result.err
    result.err[/peak: (\d+) kB/, 1].to_i
  end
end
