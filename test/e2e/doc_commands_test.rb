# frozen_string_literal: true

require "fileutils"
require "json"
require_relative "../support/documents"
require_relative "../support/labelled_profile"
require_relative "../support/program"

# The commands and outputs that the documents show. Those of docs/tour.md and of `rperf help` have
# tests of their own.
class DocCommandsTest < Minitest::Test
  include ProgramSupport

  # What the documents take for granted.
  APP = "def work = 20_000.times.sum { |i| i.to_s.size }\n10.times { work; sleep 0.001 }\n"
  PROFILES = %w[rperf.data profile.pb.gz before.pb.gz tmp/profile.pb.gz].freeze

  # Lines that fetch, make, measure or test rperf itself, by their first words: not within a test of
  # theirs. The groups `setup` and `package` run the first four; what all of them name must be
  # there.
  OF_THE_CHECKOUT = ["gem install rperf", "bin/setup", "eval \"$(bin/setup --env)\"", "git clone", "bin/dev", "bin/test", "bench/workloads/build",
                     "bench/report/run", "script/rubies", "cargo run --release --manifest-path", "fuzz/run", "cd page", "npm run", "npm test"].freeze
  SCRIPTS = JSON.parse(File.read(File.join(ROOT, "page", "package.json"))).fetch("scripts").keys.freeze

  SHELL = Documents.blocks.select { |block| block.language == "sh" }
  SHOWN = Documents.blocks.select { |block| block.language == "text" }
  # Blocks of text that other tests compare: those of the examples, of the help, and of a profile
  # made for its document.
  TESTED = {"docs/tour.md" => "e2e/readme_test.rb", "docs/cli.md" => "unit/help_test.rb", "docs/reports.md" => "e2e/reports_document_test.rb"}.freeze

  SHELL.each do |block|
    define_method("test_#{block}") do
      in_prepared_directory do |directory|
        commands(block).each { |line| of_the_checkout?(line) || run_line(line, directory) }
      end
    end
  end

  def test_every_block_is_of_a_kind_that_is_run
    assert_empty Documents.blocks.reject(&:file).map(&:language).uniq - ["sh", "text", "ruby", "ruby runnable"]
    unknown = SHOWN.reject { |block| block.command || block.document == "docs/formats.md" }
    assert_empty unknown.map(&:to_s)
  end

  def test_the_documents_of_other_tests_are_read_by_them
    TESTED.each { |document, test| assert_includes File.read(File.join(ROOT, "test", test)), File.basename(document), test }
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
      assert_equal headings, headings & report.lines.map { |line| shape(line.sub(/, Events: \d+/, "")) }
      [formats("Total"), report].each { |text| assert_match(/^ +[\d.]+ ms +[\d.]+%  \S.* \(.+\)$/, text) }
    end
  end

  private

  # app.rb, profiles, the examples, rperf as `rperf` and as `bin/rperf`, no browser and no pager.
  def in_prepared_directory
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      write_profiles(directory)
      %w[examples bench].each { |name| File.symlink(File.join(ROOT, name), File.join(directory, name)) }
      %w[rperf bin/rperf].each { |name| write_file(directory, name, "#!/bin/sh\nexec '#{RUBY}' --disable-gems '#{RPERF}' \"$@\"\n") }
      {"xdg-open" => "", "open" => "", "less" => "exec cat\n"}.each { |name, text| write_file(directory, name, "#!/bin/sh\n#{text}") }
      yield directory
    end
  end

  # What commands read that no command above them has written.
  def write_profiles(directory)
    FileUtils.mkdir(File.join(directory, "tmp"))
    PROFILES.each { |name| LabelledProfile.write(File.join(directory, name)) }
    FileUtils.cp(File.join(ROOT, "test/golden/foreign/stackprof_raw.dump"), File.join(directory, "stackprof.dump"))
  end

  def commands(block) = block.text.lines.map { |line| line.sub(/ +# .*/, "").chomp }.reject(&:empty?)

  # True for a line that is not run here; then the files that it names are there.
  def of_the_checkout?(line)
    return false unless OF_THE_CHECKOUT.any? { |beginning| line.start_with?(beginning) }
    assert_includes SCRIPTS, line[/\Anpm (?:run )?(\S+)/, 1], line if line.start_with?("npm")
    named = line.scan(%r{(?<![\w/:.])(?:bin|bench|fuzz|tests)/[\w/.-]+}) + line.scan(/\Acd (\S+)/).flatten
    assert_empty named.reject { |name| File.exist?(File.join(ROOT, name)) }, line
    program = line[/\A\S+/]
    assert File.executable?(File.join(ROOT, program)), line if program.include?("/")
    true
  end

  def run_line(line, directory)
    return browse(line, directory) if line.match?(/\Arperf (report|diff) [^-]*\z/)
    return ask_pprof(line, directory) if line.match?(/\Ago tool pprof -tag(root|focus)/)
    # Ruby finds rperf, as where the gem is installed.
    result = run_program("/bin/sh", "-c", line, directory:, env: {"PATH" => path(directory), "RUBYLIB" => Paths::LIB})
    assert_equal 0, result.code, "#{line}: #{result.inspect}"
    result
  end

  # Without a view pprof reads commands; the labels of the line are those of a sample.
  def ask_pprof(line, directory)
    result = run_program("/bin/sh", "-c", line, directory:, input: write_file(directory, "commands", "top\n"))
    assert_equal 0, result.code, "#{line}: #{result.inspect}"
    assert_includes result.out, LabelledProfile::ENDPOINTS.fetch("GET /api/users"), line
    refute_includes result.err, "matched no samples", line
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
