# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "../support/subprocess"

# `ruby -w` has nothing to say about lib/ and exe/: not when it parses a file, not when it loads it.
class WarningsTest < Minitest::Test
  def test_every_file_parses_without_a_warning
    files = Paths.tracked("lib/*.rb", "exe/*")
    refute_empty files
    files.each do |file|
      result = Subprocess.run(Paths::RUBY, "-wc", Paths.of(file))

      assert_predicate result, :success?, result.report
      assert_empty result.stderr, result.report
    end
  end

  def test_the_library_loads_without_a_warning
    result = Subprocess.run(Paths::RUBY, "-w", "-I", Paths::LIB, "-e", 'require "rperf"; require "rperf/cli"')

    assert_predicate result, :success?, result.report
    assert_empty result.stderr, result.report
  end
end
