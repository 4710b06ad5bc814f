# frozen_string_literal: true

require_relative "support/measured"

# Calls and instructions that take less time than it takes to look at them from outside.
class ShortAccuracyTest < Minitest::Test
  include Measured

  # So much of the time, as a part of one, may have a line and the name of a method that is not called there. (It is up
  # to 0.06, and was up to 0.38 when the position was copied long after the pointer.)
  MISMATCHED_AT_MOST = 0.12
  # So much of what a key's hash and comparison take by the clock must be found in Hash#[].
  FOUND_AT_LEAST = 0.4

  CALLS = <<~'RUBY'
    def work
      x, y, i = 3**100, 5**90, 0
      while i < 3_000_000
        x + y # Integer#+
        x * y # Integer#*
        x - y # Integer#-
        x % y # Integer#%
        i += 1
      end
    end
    data = Rperf.start(mode: :cpu) { work }
    called = File.readlines(__FILE__).map { |line| line[/# (Integer#.)/, 1] }
    found = Hash.new(0)
    data[:samples].each do |sample|
      next unless sample[0].first.label.start_with?("Integer#") && sample[0][1].label == "Object#work"
      sample.lines.each { |lines, weight,| found[called[lines[1] - 1] == sample[0].first.label] += weight }
    end
    puts JSON.generate(matched: found[true].fdiv(total(data)), mismatched: found[false].fdiv(total(data)))
  RUBY
  # Together they take that much of the time, as a part of one.
  CALLS_AT_LEAST = 0.4

  def test_names_and_lines_of_short_calls_belong_together
    found = measure(CALLS)
    assert_operator found[:mismatched], :<=, MISMATCHED_AT_MOST, found.inspect
    assert_operator found[:matched], :>=, CALLS_AT_LEAST, found.inspect
  end

  def test_a_short_instruction_is_a_leaf
    found = measure(<<~'RUBY')
      HASH = 1000.times.to_h { |i| ["a rather long key, which takes its time: #{i}" * 4, i] }
      KEYS = HASH.keys
      def find
        h, keys, i = HASH, KEYS, 0
        while i < 3_000_000
          h[keys[i % 1000]]
          i += 1
        end
      end
      def count
        keys, i = KEYS, 0
        while i < 3_000_000
          keys[i % 1000]
          i += 1
        end
      end
      times = nil
      data = Rperf.start(mode: :cpu) do
        clocks = [cpu, (find; cpu), (count; cpu)]
        times = clocks.each_cons(2).map { |from, to| to - from }
      end
      puts JSON.generate(truth: (times[0] - times[1]) * 1e9, found: leaf(data, "Hash#[]", "Object#find"))
    RUBY
    assert_operator found[:found], :>=, found[:truth] * FOUND_AT_LEAST, found.inspect
    assert_operator found[:found], :<=, found[:truth] / FOUND_AT_LEAST, found.inspect
  end
end
