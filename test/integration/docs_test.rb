# frozen_string_literal: true

require_relative "support/doc_blocks"
require "rperf/middleware"

# Each Ruby block of docs/rails.md is run by a test of this directory, which asks for it by
# heading and file.
class IntegrationDocsTest < Minitest::Test
  TESTS = Dir[File.join(__dir__, "*_test.rb")].map { |path| File.read(path) }.join

  def test_every_block_is_run_by_a_test
    DocBlocks.all.each_key do |heading, file|
      asked = [%(DocBlocks.fetch("#{heading}", "#{file}")), %(DocBlocks.fetch("#{heading}", INITIALIZER))]
      assert asked.any? { |call| TESTS.include?(call) }, "no test runs the block '#{file}' below '#{heading}'"
    end
    assert_operator DocBlocks.all.length, :>=, 9
  end

  def test_the_keywords_of_the_middleware_are_those_of_the_table
    documented = File.read(DocBlocks::PATH)[/^\| keyword \|.*?(?=^$)/m].scan(/^\| `(\w+):`/).flatten.map(&:to_sym)
    keywords = Rperf::Middleware.instance_method(:initialize).parameters.select { |kind, _name| kind == :key }.map(&:last)
    assert_equal keywords.sort, documented.sort
  end
end
