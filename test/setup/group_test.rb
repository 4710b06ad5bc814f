# frozen_string_literal: true

require "fileutils"
require "minitest/autorun"
require "tmpdir"
require_relative "../support/paths"
require_relative "../support/subprocess"

# The runner of a test group fails also where minitest would be content.
class GroupTest < Minitest::Test
  PASSING = "class ATest < Minitest::Test; def test_a = assert(true); end"

  def setup
    @root = Dir.mktmpdir
    FileUtils.mkdir_p([File.join(@root, "script"), File.join(@root, "lib")])
    FileUtils.cp_r(Paths.of("script/test"), File.join(@root, "script"))
  end

  def teardown = FileUtils.remove_entry(@root)

  def test_a_passing_group_passes_and_counts
    result = run_group(PASSING)

    assert_predicate result, :success?, result.report
    assert_equal "1 tests, 1 assertions, 0 not passed", File.read(File.join(@root, "tally"))
  end

  def test_a_failure_fails_and_is_noted_for_the_end
    refute_predicate run_group(PASSING.sub("true", "false, 'it is' + \"\\n\" + 'not'")), :success?
    assert_match(/\Asome: ATest#test_a \[.*a_test\.rb:2\]: it is not\n\z/, File.read(File.join(@root, "failures")))
  end

  def test_a_group_without_test_files_fails
    result = run_group(nil)

    refute_predicate result, :success?
    assert_includes result.stderr, "no test files in test/some"
  end

  def test_a_group_without_tests_fails
    result = run_group("class ATest < Minitest::Test; end")

    refute_predicate result, :success?
    assert_includes result.stderr, "test/some: no test ran"
  end

  def test_parts_have_all_files_together
    %w[b c d].each { |name| write_test(name, "class #{name.upcase}Test < Minitest::Test; def test_#{name} = assert(true); end") }
    parts = [1, 2, 3].map { |part| run_group(PASSING, group: "some-#{part}").stdout.scan(/^(\w)Test#test_/).flatten }

    assert_equal [%w[A D], %w[B], %w[C]], parts.map(&:sort)
  end

  def test_a_skipped_test_fails
    result = run_group(PASSING.sub("assert(true)", "skip"))

    refute_predicate result, :success?
    assert_match(/ATest#test_a .*was skipped/, result.stderr)
  end

  def test_a_warning_from_lib_fails
    File.write(File.join(@root, "lib/a.rb"), "def a = (b = 1)\n")
    result = run_group(%(require "a"\n#{PASSING}))

    refute_predicate result, :success?
    assert_includes result.stderr, "test/some: Ruby warned:"
  end

  def test_a_warning_from_elsewhere_does_not_matter
    File.write(File.join(@root, "other.rb"), "def a = (b = 1)\n")

    assert_predicate run_group(%(require #{File.join(@root, "other").dump}\n#{PASSING})), :success?
  end

  private

  def write_test(name, test)
    FileUtils.mkdir_p(File.join(@root, "test", "some"))
    File.write(File.join(@root, "test", "some", "#{name}_test.rb"), %(require "minitest/autorun"\n#{test}\n))
  end

  def run_group(test, group: "some")
    write_test("a", test) if test
    notes = { "RPERF_TEST_TALLY" => File.join(@root, "tally"), "RPERF_TEST_FAILURES" => File.join(@root, "failures") }
    Subprocess.run(Paths::RUBY, "-w", "-I", File.join(@root, "lib"), "script/test/group.rb", group, "--verbose", chdir: @root, env: notes)
  end
end
