# frozen_string_literal: true

require "etc"
require_relative "support/measured"

# Time on the processor is charged to the line and the method that used it.
class RunningAccuracyTest < Minitest::Test
  include Measured

  # Shares of the time, as parts of one. Both are nearly all of it on a quiet machine. Beside other
  # processes the scheduler often stops the program in the system call that asks for the clock, and
  # a tick then meets it there: beside four on two processors the hot line had 0.70 to 0.73.
  HOT_LINE_AT_LEAST = 0.6
  REGEXP_AT_LEAST = 0.75

  # One line with a C method that takes nearly all of the time: some 100 us a call on any machine,
  # beside two clocks and two additions that together stay below one. (A shorter call's true share
  # depends on the machine's speed.)
  HOT_LINE = <<~'RUBY'
    TEXT = "x" * 200_000
    SET = "a-z"
    def hot
      count = 0
      finish = cpu + 0.6
      while cpu < finish
        count += 1
        TEXT.count(SET) # hot
        count -= 1
      end
    end
    data = Rperf.start(mode: :cpu) { hot }
    lines = Hash.new(0)
    data[:samples].each do |sample|
      index = sample[0].index { |frame| frame.label == "Object#hot" } or next
      sample.lines.each { |by_frame, weight,| lines[by_frame[index]] += weight }
    end
    line = File.readlines(__FILE__).index { |text| text.include?("# hot\n") } + 1
    puts JSON.generate(share: lines[line].fdiv(total(data)), count: share(data, "String#count"))
  RUBY

  {interpreter: INTERPRETER, yjit: YJIT}.each do |name, flags|
    define_method("test_a_hot_line_in_the_#{name}") do
      found = measure(HOT_LINE, *flags)
      assert_operator found[:share], :>=, HOT_LINE_AT_LEAST
      assert_operator found[:count], :>=, HOT_LINE_AT_LEAST
    end
  end

  # Where processors are scarce, a tick from outside would see the program where the scheduler stops
  # it: always in the system call that asks for the clock.
  BESIDE_OTHERS_AT_LEAST = 0.6

  def test_a_hot_line_where_processors_are_scarce
    others = Array.new(2 * Etc.nprocessors) { spawn(Paths::RUBY, "-e", "nil while true") }
    found = measure(HOT_LINE)

    assert_operator found[:count], :>=, BESIDE_OTHERS_AT_LEAST
  ensure
    others.each { |pid| Process.kill(:KILL, pid) }
    others.each { |pid| Process.wait(pid) }
  end

  # A match is one instruction of the interpreter, without a frame of its own.
  def test_a_match_is_a_leaf_of_its_own
    found = measure(MATCHES + <<~'RUBY')
      data = Rperf.start(mode: :cpu) { work }
      puts JSON.generate(share: share(data, "String#=~", "Object#work"))
    RUBY
    assert_operator found[:share], :>=, REGEXP_AT_LEAST
  end

  # The share of a method that runs beside a recursion of changing depth is too large by so much at
  # most: the recursion itself is missed while its stack is copied. It was 4 to 9 %, beside two busy
  # processes 9 to 13; before a deep stack was looked for first, 24 to 26.
  DEEP_WITHIN = 0.18

  def test_a_method_beside_a_deep_recursion
    found = measure(<<~'RUBY')
      def spin(count) = (count -= 1 while count > 0)
      def ending = spin(4000)
      def deep(depth) = depth.zero? ? ending : deep(depth - 1)
      def other = (begun = cpu; spin(8000); $other += cpu - begun)
      $other, chance, finish = 0.0, Random.new(2), cpu + 1.5
      data = Rperf.start(mode: :cpu) { (deep(chance.rand(4000)); other) while cpu < finish }
      puts JSON.generate(found: weight(having(data[:samples], "Object#other")) / 1e9, true: $other)
    RUBY
    assert_in_delta 1.0, found[:found] / found[:true], DEEP_WITHIN
  end

  # A program that fills the heap and drops it. Ruby's own clock of the collector counts processor
  # time, the profile wall time: on a busy machine that is more, but never more than the program's
  # life less its own work.
  COLLECTOR_WITHIN = 0.3

  def test_the_collectors_time
    found = measure(<<~'RUBY')
      def allocate = 40.times { Array.new(100_000) { |i| "text #{i}" } }
      before = GC.total_time
      begun = wall
      data = Rperf.start(mode: :wall) { allocate }
      spent, life = GC.total_time - before, wall - begun
      marking = leaf(data, "[GC marking]", "Object#allocate")
      sweeping = leaf(data, "[GC sweeping]", "Object#allocate")
      puts JSON.generate(spent:, life:, marking:, sweeping:, allocating: total(data) - marking - sweeping)
    RUBY
    assert_operator found[:marking], :>, 0
    assert_operator found[:sweeping], :>, 0
    assert_operator found[:marking] + found[:sweeping], :>=, found[:spent] * (1 - COLLECTOR_WITHIN)
    assert_operator found[:marking] + found[:sweeping], :<=, found[:life] - found[:allocating]
  end
end
