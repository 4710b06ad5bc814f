# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require_relative "../support/paths"

# The command lines of the benches: help is shown, and what they do not know begins no measurement.
class BenchCommandsTest < Minitest::Test
  COMMANDS = Paths.tracked("bench/*/run", "bench/*/soak").freeze

  COMMANDS.each do |command|
    define_method("test_#{command.tr("/", "_")}") do
      out, status = run_command(command, "--help")
      assert_predicate status, :success?, out
      assert_match(/^Usage: #{Regexp.escape(command)}\b/, out)

      out, status = run_command(command, "nonsense")
      refute_predicate status, :success?
      assert_match(/unknown argument 'nonsense'|there is no kind 'nonsense'/, out)

      refute_predicate run_command(command, "--nonsense").last, :success?
    end
  end

  def test_there_are_such
    assert_operator COMMANDS.length, :>=, 8
  end

  private

  def run_command(command, word) = Open3.capture2e(Paths::RUBY, Paths.of(command), word)
end
