# frozen_string_literal: true

require "json"
require_relative "../support/documents"
require_relative "../support/program"

# The commands and outputs that the documents show. Those of README.md and of `rperf help` have tests of their own.
class DocCommandsTest < Minitest::Test
  include ProgramSupport

  # What the documents take for granted.
  APP = "def work = 20_000.times.sum { |i| i.to_s.size }\n10.times { work; sleep 0.001 }\n"

  # Lines that fetch, make, measure or test rperf itself, by their first words: not within a test of theirs. The groups
  # `setup` and `package` run the first four; what all of them name must be there.
  OF_THE_CHECKOUT = ["gem install rperf", "bin/setup", "eval \"$(bin/setup --env)\"", "git clone", "bin/test", "bench/workloads/build",
                     "cargo run --release --manifest-path", "fuzz/run"].freeze

  SHELL = Documents.blocks.select { |block| block.language == "sh" }
  SHOWN = Documents.blocks.select { |block| block.language == "text" }
  # Blocks of text that other tests compare: those of the examples, and of the help.
  TESTED = {"README.md" => "readme_test.rb", "docs/cli.md" => "help_test.rb"}.freeze

  SHELL.each do |block|
    define_method("test_#{block}") do
      in_prepared_directory do |directory|
        commands(block).each { |line| of_the_checkout?(line) || run_line(line, directory) }
      end
    end
  end

  def test_every_block_is_of_a_kind_that_is_run
    assert_empty Documents.blocks.map(&:language).uniq - ["sh", "text", "ruby", "ruby runnable"]
    unknown = SHOWN.reject { |block| block.command || block.document == "docs/formats.md" }
    assert_empty unknown.map(&:to_s)
  end

  def test_commands_whose_output_is_shown
    blocks = SHOWN.select { |block| block.command && !TESTED.key?(block.document) }
    refute_empty blocks
    in_prepared_directory do |directory|
      run_line("rperf record ruby app.rb", directory)
      blocks.each { |block| assert_shown(block, run_line(block.command, directory).out) }
    end
  end

  def test_the_outline_of_a_json_file
    in_prepared_directory do |directory|
      run_line("rperf record -o app.json ruby app.rb", directory)
      outline = formats("{").gsub("{...}", "{}").gsub("[...]", "[]")
      written = JSON.parse(File.read(File.join(directory, "app.json")))
      assert_equal JSON.parse(outline).keys, written.keys
      assert_equal JSON.parse(outline)["rperf"].keys, written["rperf"].keys
    end
  end

  def test_the_text_report
    in_prepared_directory do |directory|
      report = run_line("rperf record -p ruby app.rb", directory).out
      headings = formats("Total").lines.grep(/\A\S/).grep_v(/\ADropped/).map { |line| shape(line) }
      assert_equal headings, headings & report.lines.map { |line| shape(line) }
      [formats("Total"), report].each { |text| assert_match(/^ +[\d.]+ ms +[\d.]+%  \S.* \(.+\)$/, text) }
    end
  end

  private

  # app.rb, the examples, rperf as `rperf` and as `bin/rperf`, and no browser.
  def in_prepared_directory
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      %w[examples bench].each { |name| File.symlink(File.join(ROOT, name), File.join(directory, name)) }
      %w[rperf bin/rperf].each { |name| write_file(directory, name, "#!/bin/sh\nexec '#{RUBY}' '#{RPERF}' \"$@\"\n") }
      %w[xdg-open open].each { |name| write_file(directory, name, "#!/bin/sh\n") }
      yield directory
    end
  end

  def commands(block) = block.text.lines.map { |line| line.sub(/ +# .*/, "").chomp }.reject(&:empty?)

  # True for a line that is not run here; then the files that it names are there.
  def of_the_checkout?(line)
    return false unless OF_THE_CHECKOUT.any? { |beginning| line.start_with?(beginning) }
    named = line.scan(%r{(?<![\w/:.])(?:bin|bench|fuzz|tests)/[\w/.-]+})
    assert_empty named.reject { |name| File.exist?(File.join(ROOT, name)) }, line
    program = line[/\A\S+/]
    assert File.executable?(File.join(ROOT, program)), line if program.include?("/")
    true
  end

  def run_line(line, directory)
    return browse(line, directory) if line.match?(/\Arperf (report|diff) [^-]*\z/)
    result = run_program("/bin/sh", "-c", line, directory:, env: {"PATH" => path(directory)})
    assert_equal 0, result.code, "#{line}: #{result.inspect}"
    result
  end

  # A page for the browser is served until Ctrl-C.
  def browse(line, directory)
    running = launch("/bin/sh", "-c", "exec #{line}", directory:, env: {"PATH" => path(directory)}, group: true)
    running.await("http://")
    running.signal("INT", to: -running.pid)
    running.finish
  end

  def path(directory) = [directory, clean_environment["PATH"]].join(File::PATH_SEPARATOR)

  # Each line that is shown is printed, but for its figures.
  def assert_shown(block, output)
    printed = output.lines.map { |line| shape(line) }
    missing = block.text.lines.drop(1).reject { |line| line.chomp == "..." || printed.include?(shape(line)) }
    assert_empty missing, "#{block}\n#{output}"
  end

  def shape(line) = line.gsub(/\d(?:[\d,.]*\d)?/, "N").split.join(" ")

  # The block of docs/formats.md that begins so.
  def formats(beginning)
    SHOWN.find { |block| block.document == "docs/formats.md" && block.text.start_with?(beginning) }.text
  end
end
