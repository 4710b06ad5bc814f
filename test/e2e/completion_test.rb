# frozen_string_literal: true

require_relative "../support/program"

# The completion script, asked by a real bash.
class CompletionTest < Minitest::Test
  include ProgramSupport

  ASK = <<~'BASH'
    eval "$("$RUBY" "$RPERF" completion bash)" || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _rperf
    printf '%s\n' "${COMPREPLY[@]}"
  BASH

  # What bash offers for the last of these words.
  def complete(*words)
    in_directory do |directory|
      write_file(directory, "profile.data", "")
      env = {"RUBY" => RUBY, "RPERF" => RPERF}
      result = run_program("bash", "-c", ASK, "bash", "rperf", *words, directory:, env:)
      assert_equal ["", 0], [result.err, result.code]
      result.out.split("\n")
    end
  end

  def test_commands
    assert_equal %w[record report recordings], complete("re")
    assert_equal %w[--version], complete("--v")
  end

  def test_options_of_the_command
    assert_equal %w[--mode --min-age --max-live --malloc --malloc-interval], complete("record", "-v", "--m")
    assert_equal %w[--text --top --traces --tree --tagfocus --tagignore --tagleaf --tagroot].sort, complete("report", "--t").sort
    refute_includes complete("exec", "--"), "--report"
  end

  def test_values
    assert_equal %w[cpu wall custom alloc heap both], complete("stat", "-m", "")
    assert_equal %w[collapsed callgrind], complete("record", "--format", "c")
    assert_equal %w[text json], complete("report", "--format", "")
    assert_equal %w[cum], complete("diff", "--sort", "c")
    assert_equal %w[profile.data], complete("record", "-o", "prof")
    assert_empty complete("record", "-f", "")
  end

  def test_words_of_other_commands
    assert_equal %w[record report recordings reports release-checklist], complete("help", "re")
    assert_equal %w[bash zsh], complete("completion", "")
    assert_equal %w[profile.data], complete("report", "--top", "p")
  end

  def test_the_program_and_its_own_options
    assert_includes complete("record", "-m", "wall", "rub"), "ruby"
    assert_equal %w[profile.data], complete("record", "-m", "wall", "ruby", "-m", "p")
  end
end
