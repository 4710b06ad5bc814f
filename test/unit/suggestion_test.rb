# frozen_string_literal: true

require_relative "../support/test_helper"

class SuggestionTest < Minitest::Test
  COMMANDS = %w[record stat exec report diff help].freeze

  def test_swapped_letters_are_one_edit
    assert_equal 1, Rperf::Suggestion.distance("recrod", "record")
  end

  def test_distance_counts_each_edit
    assert_equal 0, Rperf::Suggestion.distance("wall", "wall")
    assert_equal 3, Rperf::Suggestion.distance("kitten", "sitting")
    assert_equal 4, Rperf::Suggestion.distance("", "stat")
  end

  def test_a_typo_finds_its_word
    assert_equal "record", Rperf::Suggestion.nearest("recrod", COMMANDS)
    assert_equal "stat", Rperf::Suggestion.nearest("stats", COMMANDS)
    assert_equal "diff", Rperf::Suggestion.nearest("DIF", COMMANDS)
  end

  def test_a_beginning_finds_its_word
    assert_equal "record", Rperf::Suggestion.nearest("rec", COMMANDS)
  end

  def test_nothing_near_finds_nothing
    assert_nil Rperf::Suggestion.nearest("flamegraph", COMMANDS)
    assert_equal "", Rperf::Suggestion.clause("flamegraph", COMMANDS)
  end

  # Its distance to a word would take half a minute.
  def test_nothing_is_near_a_text_of_a_megabyte
    assert_nil Rperf::Suggestion.nearest("record" * 200_000, COMMANDS)
  end

  def test_a_typo_in_another_encoding_finds_its_word
    assert_equal "record", Rperf::Suggestion.nearest("recrod".encode("UTF-16LE"), COMMANDS)
  end

  def test_symbols_are_candidates_too
    assert_equal "; did you mean 'wall'?", Rperf::Suggestion.clause("wal", %i[cpu wall])
  end
end
