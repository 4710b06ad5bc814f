# frozen_string_literal: true

require_relative "../support/test_helper"

class LabelSetsTest < Minitest::Test
  def setup
    @sets = Rperf::LabelSets.new
  end

  def set(id = 0, **labels) = @sets.merge!(id, labels)

  def test_the_empty_set_is_number_zero
    assert_equal({}, @sets[0])
    refute_predicate @sets, :used?
    assert_equal 0, set
  end

  def test_equal_sets_have_one_number
    first = set(request: "abc")
    assert_equal first, set(request: "abc")
    assert_equal first, set(request: +"abc")
    assert_equal({request: "abc"}, @sets[first])
    assert_predicate @sets, :used?
  end

  def test_labels_merge_whatever_the_order
    one = set(set(a: "1"), b: "2")
    other = set(set(b: "2"), a: "1")
    assert_equal one, other
    assert_equal one, set(a: "1", b: "2")
    assert_equal({a: "1", b: "2"}, @sets[one])
  end

  def test_a_new_value_replaces_the_old
    assert_equal({a: "2"}, @sets[set(set(a: "1"), a: "2")])
  end

  def test_nil_removes_a_key
    both = set(a: "1", b: "2")
    assert_equal({b: "2"}, @sets[set(both, a: nil)])
    assert_equal 0, set(both, a: nil, b: nil)
    assert_equal both, set(both, c: nil)
  end

  def test_values_are_texts
    id = set(count: 3, kind: :fast, "key" => true)
    assert_equal({count: "3", kind: "fast", key: "true"}, @sets[id])
  end

  def test_a_text_that_changes_later_changes_nothing
    value = +"abc"
    id = set(request: value)
    value << "def"
    assert_equal({request: "abc"}, @sets[id])
    assert_equal({request: "abcdef"}, @sets[set(request: value)])
    assert_equal id, set(request: "abc")
  end

  def test_an_object_that_shows_itself_differently_each_time
    counter = Object.new
    def counter.to_s = (@count = @count.to_i + 1).to_s
    assert_equal({c: "1"}, @sets[set(c: counter)])
    assert_equal({c: "2"}, @sets[set(c: counter)])
  end

  def test_damaged_and_endless_values_are_tamed
    damaged = @sets[set(a: "x\xFFy")][:a]
    assert_predicate damaged, :valid_encoding?
    binary = @sets[set(a: "\xE4".b)][:a]
    assert_predicate binary, :valid_encoding?
    assert_operator @sets[set(a: "x" * 1_000_000)][:a].bytesize, :<=, Rperf::LabelSets::MAX_VALUE_BYTES
    assert_equal "\"quoted\"\n", @sets[set(a: "\"quoted\"\n")][:a]
  end

  def test_sets_are_frozen
    id = set(a: "1")
    assert_predicate @sets[id], :frozen?
    assert_predicate @sets[id][:a], :frozen?
  end

  def test_a_set_per_request_ends_in_the_overflow_set
    limit = Rperf::LabelSets::MAX_SETS
    ids = (1..limit + 500).map { |number| set(request: number.to_s) }
    assert_equal({request: "1"}, @sets[ids.first])
    assert_equal Rperf::LabelSets::OVERFLOW, @sets[ids.last]
    assert_equal limit + 1, @sets.to_a.length
    assert_equal 501, @sets.overflow_count
    assert_equal ids.first, set(request: "1"), "a set that is known stays known"
    assert_equal Rperf::LabelSets::OVERFLOW, @sets[set(ids.last, other: "x")]
    assert_equal 0, set(ids.first, request: nil), "the empty set stays within reach"
  end

  def test_threads_may_intern_at_the_same_time
    ids = Array.new(8) { Thread.new { (0...500).map { |number| set(n: number) } } }.map(&:value)
    assert_equal 1, ids.uniq.length
    assert_equal 501, @sets.to_a.length
  end

  def test_an_unknown_number_is_the_empty_set
    assert_equal({}, @sets[99_999])
  end
end
