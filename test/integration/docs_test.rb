# frozen_string_literal: true

require_relative "support/doc_blocks"

# Each Ruby block of docs/integrations.md is run by a test of this directory, which asks for it by heading and file.
class IntegrationDocsTest < Minitest::Test
  TESTS = Dir[File.join(__dir__, "*_test.rb")].map { |path| File.read(path) }.join

  def test_every_block_is_run_by_a_test
    DocBlocks.all.each_key do |heading, file|
      asked = [%(DocBlocks.fetch("#{heading}", "#{file}")), %(DocBlocks.fetch("#{heading}", INITIALIZER))]
      assert asked.any? { |call| TESTS.include?(call) }, "no test runs the block '#{file}' below '#{heading}'"
    end
    assert_operator DocBlocks.all.length, :>=, 9
  end

  def test_the_table_of_settings_is_complete
    documented = File.read(DocBlocks::PATH)[/^\| setting \|.*?(?=^$)/m].lines.drop(2).flat_map { |row| row.split(" | ").first.scan(/`(\w+)`/).flatten }
    settings = Rperf::Options::TABLE.values.select { |setting| setting.keyword || setting.name == :inherit }.map { |setting| setting.name.to_s }
    assert_equal (settings + %w[enabled middleware active_job sidekiq]).sort, documented.sort
  end
end
