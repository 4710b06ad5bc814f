# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "../support/subprocess"

# bin/test with one test in any language, and with arguments that name none.
class BinTestTest < Minitest::Test
  RUBY_FILE = "test/unit/numbers_test.rb"
  PAGE_FILE = "page/test/unit/palette.test.ts"

  def test_a_ruby_file_from_another_directory
    result = run_tests("../#{RUBY_FILE}", chdir: Paths.of("lib"))
    all = File.read(Paths.of(RUBY_FILE)).scan(/^ +def test_/).length

    assert_predicate result, :success?, result.report
    assert_match(/^#{all} runs, .* 0 failures/, result.stdout)
  end

  def test_one_test_of_a_ruby_file
    name = File.read(Paths.of(RUBY_FILE))[/def (test_\w+)/, 1]
    result = run_tests(RUBY_FILE, "-n", name)

    assert_predicate result, :success?, result.report
    assert_match(/^1 runs, .* 0 failures/, result.stdout)
  end

  def test_one_test_of_the_page
    name = File.read(Paths.of(PAGE_FILE))[/^test\("([^"]+)"/, 1]
    result = run_tests(PAGE_FILE, "-n", "^#{name}$")

    assert_predicate result, :success?, result.report
    assert_match(/^ℹ pass 1$/, result.stdout)
  end

  def test_one_test_of_the_core
    result = run_tests("cargo", "replaces_bytes_that_are_not_utf8")

    assert_predicate result, :success?, result.report
    assert_equal 1, result.stdout.scan(/^test .* \.\.\. ok$/).length, result.report
  end

  def test_a_name_without_a_test_fails
    {
      [RUBY_FILE, "-n", "test_nothing"] => "#{RUBY_FILE}: no test ran",
      [PAGE_FILE, "-n", "nothing"] => "no test ran of #{PAGE_FILE} that is called 'nothing'",
      ["cargo", "there_is_no_such_test"] => "no Rust test ran that has 'there_is_no_such_test' in its path"
    }.each do |arguments, sentence|
      result = run_tests(*arguments)

      assert_equal 1, result.status.exitstatus, result.report
      assert_equal sentence, result.stderr.lines.last.chomp, result.report
    end
  end

  def test_a_wrong_argument_is_a_sentence
    {
      %w[unti] => /\Aunknown group 'unti': use fmt .* setup, or one test file\n\z/,
      %w[-n test_a] => /\Aunknown option '-n': use bin\/test FILE -n NAME, or bin\/test cargo NAME\n\z/,
      %w[cargo -n x] => /\A'-n x' is not the name of one Rust test: use bin\/test cargo NAME\n\z/,
      %w[test/unit/no_test.rb] => /\Athere is no file 'test\/unit\/no_test.rb': use the path of a test file, or a group: fmt /,
      %w[lib/rperf.rb] => /\A'lib\/rperf.rb' is no test file: use test\/GROUP\/\.\.\._test\.rb or page\/test\/.*\n\z/,
      [RUBY_FILE, "-n"] => /\A-n needs the name of a test: use bin\/test FILE -n NAME\n\z/,
      [RUBY_FILE, PAGE_FILE] => /\A'#{PAGE_FILE}' after a file: use bin\/test FILE -n NAME, one file at a time\n\z/,
      ["unit", RUBY_FILE] => /\A'#{RUBY_FILE}' after the group 'unit': a file runs by itself: use bin\/test FILE .*\n\z/
    }.each do |arguments, sentence|
      result = run_tests(*arguments)

      assert_equal [2, ""], [result.status.exitstatus, result.stdout], result.report
      assert_match sentence, result.stderr
    end
  end

  def test_the_group_that_takes_longest_runs_in_three_parts
    result = Subprocess.run("bash", "-c", ". script/test/groups.sh && parts_of fmt e2e vm", chdir: Paths::ROOT)

    assert_equal %w[fmt e2e-1 e2e-2 e2e-3 vm], result.stdout.split, result.report
  end

  private

  # What fails here is no failure of the run that this test is in.
  def run_tests(*arguments, chdir: Paths::ROOT)
    Subprocess.run(Paths.of("bin/test"), *arguments, chdir: chdir, env: { "RPERF_TEST_FAILURES" => nil }, deadline: 900)
  end
end
