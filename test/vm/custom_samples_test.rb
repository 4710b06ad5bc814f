# frozen_string_literal: true

require_relative "support/manual_session"

# Samples that a program takes itself.
class CustomSamplesTest < Minitest::Test
  include ManualSession

  def custom(**options)
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS, mode: :custom, frequency: 0, **options)
    yield
    stop
  ensure
    Native.stop
  end

  def query(**values) = Rperf.sample(**values)

  def test_a_sample_has_the_stack_of_its_caller_and_its_weight
    data = custom { 3.times { assert_equal true, query(weight: 5) } }
    sample, = samples_at(data, "CustomSamplesTest#query")
    assert_equal [15, 3], [sample[1], sample.count]
    assert_equal [%w[weight count]], data[:value_types]
  end

  def test_named_values_are_value_types
    data = custom do
      query(bytes: 4096)
      query(weight: 2, wait_ns: 7, bytes: 1)
    end
    assert_equal [%w[weight count], %w[bytes bytes], %w[wait_ns nanoseconds]], data[:value_types]
    assert_equal [3, 4097, 7], samples_at(data, "CustomSamplesTest#query").first.values
  end

  def test_more_names_than_there_is_room_for
    custom do
      query(a: 1, b: 1, c: 1)
      error = assert_raises(ArgumentError) { query(d: 1) }
      assert_equal "a profile has room for 3 named values: use no more than 3 names", error.message
    end
  end

  def test_a_sample_that_is_refused_takes_no_room
    data = custom do
      query(a: 1)
      assert_raises(ArgumentError) { query(b: 1, c: 1, d: 1) }
      assert_equal true, query(e: 2, f: 3)
    end
    assert_equal %w[weight a e f], data[:value_types].map(&:first)
  end

  def test_values_that_are_none
    {weight: 0, a: -1, b: 1.5, c: "1", d: nil, e: 1 << 63}.each do |name, value|
      error = assert_raises(ArgumentError) { Rperf.sample(**{name => value}) }
      assert_match(/\A#{name}: must be a whole number from [01] to 9223372036854775807, not #{Regexp.escape(value.inspect)}\z/, error.message)
    end
  end

  def test_names_that_are_none
    custom do
      error = assert_raises(ArgumentError) { Rperf.sample("rows" => 1) }
      assert_equal 'the name of a value must be a Symbol, such as bytes:, not "rows"', error.message
    end
  end

  # pprof files have the number of samples by this name.
  def test_a_name_that_is_taken
    error = assert_raises(ArgumentError) { Rperf.sample(weight: 2, samples: 7) }
    assert_equal "samples: is the number of samples in pprof files: give the value another name", error.message
  end

  def test_without_a_session_of_that_mode
    assert_equal false, query
    session { assert_equal false, query }
  end

  def test_labels_threads_fibers_and_blocks
    data = custom do
      Rperf.label(shop: "a") { query }
      Thread.new { Rperf.label(shop: "b") { query } }.join
      Fiber.new { Rperf.label(shop: "c") { query } }.resume
    end
    shops = samples_at(data, "CustomSamplesTest#query").to_h { |sample| [data[:label_sets].fetch(sample[3])[:shop], sample[2]] }
    assert_equal(%w[a b c], shops.keys.sort)
    assert_equal [shops["a"]], [shops["c"], shops["a"]].uniq
    refute_equal shops["a"], shops["b"]
    data = custom(defer: true) do
      assert_equal false, query
      assert_equal true, Rperf.profile { query }
    end
    assert_equal 1, count(data[:samples])
  end

  def test_raw_samples
    data = custom(aggregate: false) { 2.times { query(weight: 2) } }
    assert_equal [2, 2], data[:samples].map { |sample| sample[1] }
  end
end
