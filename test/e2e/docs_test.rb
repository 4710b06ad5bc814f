# frozen_string_literal: true

require_relative "../support/documents"
require_relative "../support/labelled_profile"
require_relative "../support/program"

# The Ruby blocks of the documents do what the documents say.
class DocsTest < Minitest::Test
  include ProgramSupport

  DOCUMENTS = Documents::PATHS
  # A line of code with what it evaluates to.
  CLAIM = /^(?<indent>\s*)(?<code>\S.*?)\s+# => (?<value>.+)$/

  # Raises when a claim is wrong; prints each that holds, so that the test can count.
  PRELUDE = <<~'RUBY'
    CLAIMED = lambda do |line, value, claim|
      abort("line #{line} of the block: #{value.inspect}, not #{claim}") unless value.inspect == claim
      puts "line #{line} holds"
      value
    end
  RUBY

  # Blocks that are files of an application are run where such an application is.
  FILES, BLOCKS = Documents.blocks.select { |block| block.language.start_with?("ruby") }.partition(&:file)
  TESTS = Dir[File.join(ROOT, "test", "{e2e,integration}", "*_test.rb")].freeze

  BLOCKS.each do |block|
    define_method(:"test_#{block}") { check_block(block.text) }
  end

  def test_the_api_is_shown_by_blocks_that_run
    assert_operator BLOCKS.count { |block| block.document == "docs/ruby-api.md" }, :>=, 8
  end

  # Those of docs/rails.md are asked for by heading, and test/integration/docs_test.rb sees
  # to it.
  def test_each_file_of_an_application_is_run_by_another_test
    tests = TESTS.map { |path| File.read(path) }.join
    others = FILES.reject { |block| block.document == "docs/rails.md" }
    assert_equal %w[README.md docs/migrating.md docs/production.md docs/viewer.md], others.map(&:document).uniq
    assert_empty others.reject { |block| tests.include?(%(Documents.file("#{block.document}", "#{block.file}"))) }.map(&:to_s)
  end

  def test_the_keywords_and_their_defaults_are_those_of_the_table
    documented = rows("ruby-api.md", "Rperf.start").to_h { |keyword, _value, default| [keyword[/\w+/].to_sym, default[/`([^`]*)`/, 1]] }
    settings = Rperf::Options::TABLE.values.select(&:keyword)
    assert_equal settings.to_h { |setting| [setting.name, setting.default.inspect] }, documented
  end

  # Variables that are no settings of a session.
  OUTSIDE = %w[RPERF_CONTROL RPERF_LISTEN RPERF_TOKEN_FILE RPERF_TRACE].freeze

  def test_the_variables_are_those_of_the_table
    documented = rows("cli.md", "Without the command line").flat_map { |variables, _| variables.scan(/`(RPERF_[A-Z_]+)/).flatten }
    assert_equal Rperf::Options::TABLE.values.map(&:env).sort, (documented - OUTSIDE).sort
  end

  def test_the_causes_of_drops_are_those_of_the_core
    source = File.read(File.join(ROOT, "ext/rperf-core/src/collect/counters.rs"))
    causes = source.scan(/\(Self::\w+, "([a-z ]+)"\)/).flatten
    refute_empty causes
    causes << File.read(File.join(ROOT, "ext/rperf-core/src/profile/segments.rs"))[/SEGMENT_LIMIT: &str = "([^"]+)"/, 1]
    assert_equal causes, rows("interpreting-results.md", "What was lost").map { |cause, _| cause.delete("`") }
  end

  def test_every_document_is_linked_rightly
    DOCUMENTS.each do |document|
      links = File.read(document).gsub(Documents::FENCE, "").scan(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/)
      links.each { |target, anchor| check_link(document, target, anchor) }
    end
  end

  # docs/internals/safety.md: a reviewer can follow each line to its test.
  def test_the_tests_that_the_safety_document_names_are_there
    text = File.read(File.join(ROOT, "docs", "internals", "safety.md"))
    lines = text.scan(/^\| (\d+)(?:, (\d+))? \|.*$/).flatten.compact.map(&:to_i)
    assert_equal (1..39).to_a, lines
    text.scan(/`([\w\/-]+_test\.rb)`(?: \(`(\w+_\w+)`)?/).each do |file, name|
      path = [file, "test/e2e/#{file}"].map { |candidate| File.join(ROOT, candidate) }.find { |candidate| File.file?(candidate) }
      assert path, "#{file} is not there"
      assert_match(/test_\w*#{name}/, File.read(path), file) if name
    end
  end

  def test_a_wrong_claim_is_found
    in_directory do |directory|
      result = run_block("1 + 1   # => 3\n", directory)
      refute_equal 0, result.code
      assert_equal "line 1 of the block: 2, not 3\n", result.err
    end
  end

  private

  # A link leads to a file that is there, and to a heading of it.
  def check_link(document, target, anchor)
    path = target.empty? ? document : File.expand_path(target, File.dirname(document))
    assert_path_exists path, "#{document} links to it"
    assert_includes Documents.anchors(path), anchor, "#{document} links to #{target}##{anchor}" if anchor
  end

  # The cells of the rows of all tables below a heading.
  def rows(document, heading)
    text = File.read(File.join(ROOT, "docs", document))
    section = text[/^##+ #{Regexp.escape(heading)}\n(.*?)(?=^## |\z)/m, 1]
    tables = section.scan(/^\|(?!---)(.*)\|\n/).flatten.map { |row| row.split(" | ").map(&:strip) }
    tables.reject { |first, _| %w[keyword variable cause].include?(first) }
  end

  def check_block(code)
    in_directory do |directory|
      LabelledProfile.write(File.join(directory, "app.pb.gz"))
      result = run_block(code, directory)
      assert_equal [0, ""], [result.code, result.err], result.inspect
      assert_equal code.scan(CLAIM).length, result.out.lines.grep(/holds/).length, result.inspect
    end
  end

  def run_block(code, directory)
    write_file(directory, "prelude.rb", PRELUDE)
    path = write_file(directory, "block.rb", checked(code))
    run_program(RUBY, "-w", "-I#{Paths::LIB}", "-r./prelude", path, directory:)
  end

  # The lines keep their numbers.
  def checked(code)
    code.lines.map.with_index(1) do |line, number|
      claim = CLAIM.match(line) or next line
      "#{claim[:indent]}CLAIMED.(#{number}, (#{claim[:code]}), #{claim[:value].dump})\n"
    end.join
  end
end
