# frozen_string_literal: true

require_relative "support/manual_session"

# The line at the tick for the leaf, the lines of the calls for its callers.
class VmLinesTest < Minitest::Test
  include ManualSession

  FIRST = __LINE__ + 2
  def leaf(times)
    Native.tick
    times.times do
      Native.tick
    end
  end

  def outer
    leaf(0)
    leaf(1)
  end

  # Lines of the two innermost frames of the methods above, with their counts.
  def lines_of(data)
    samples = data[:samples].select { |sample| labels(sample).first == "VmLinesTest#leaf" }
    samples.flat_map do |sample|
      places = labels(sample).each_index.select { |index| labels(sample)[index].start_with?("VmLinesTest#leaf", "VmLinesTest#outer") }
      sample.lines.map { |lines, weight, count| [lines.values_at(*places), weight.positive?, count] }
    end
  end

  def test_leaf_and_callers
    expected = [[[FIRST, FIRST + 7], true, 1], [[FIRST, FIRST + 8], true, 1], [[FIRST + 2, FIRST + 1, FIRST + 8], true, 1]]
    assert_equal expected, lines_of(session { outer }).sort_by { |lines,| lines.reverse }.sort_by { |lines,| lines.length }
  end

  def test_stacks_that_differ_by_lines_only_are_one_sample
    sample = assert_leaf(session { outer }, "VmLinesTest#leaf", "VmLinesTest#outer")
    assert_equal 2, sample.count
    assert_equal [2, sample[1]], [sample.lines.length, sample.lines.sum { |_lines, weight,| weight }]
  end

  def test_c_methods_have_no_line
    data = session { [Native].sort_by(&:tick) }
    sample = assert_leaf(data, "Enumerable#sort_by")
    assert_equal [0, 0, 0, __LINE__ - 2], sample.lines.first.first.first(4)
  end

  def test_without_lines
    data = session(lines: false) { outer }
    assert_equal [2, 1], samples_at(data, "VmLinesTest#leaf").map(&:count)
    assert(data[:samples].all? { |sample| sample.lines.empty? })
  end

  def test_where_functions_start
    data = session { outer }
    frames = assert_leaf(data, "VmLinesTest#leaf", "VmLinesTest#outer")[0]
    assert_equal [FIRST - 1, FIRST + 6], frames.first(2).map(&:start_line)
    assert_same frames[0], samples_at(data, "VmLinesTest#leaf", "Integer#times").first[0][0], "one object for each frame"
  end
end
