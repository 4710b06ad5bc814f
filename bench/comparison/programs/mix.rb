# frozen_string_literal: true

# A program with methods of all sizes in Ruby and C and a busy collector, in turns of some
# milliseconds. Arguments: the number of turns, and the amount of work of Mix#changed in percent:
# 100, or more for a change that should be found.
class Mix
  NUMBERS = (1..2000).to_a.freeze

  def initialize(percent)
    @times = percent * 3 / 100.0
    @debt = 0.0
  end

  def prices(count) = (1..count).map { |number| number * number % 17 }
  def words = %w[a bb ccc dddd].map { |word| word * 20 }.join(" ").split.sort
  def table = Array.new(600) { |number| [number, number.to_s] }.to_h.select { |key, _| key.even? }
  def each_number = NUMBERS.each { |number| number * number }
  def changed = once_changed(NUMBERS)

  # Takes a tenth of all time.
  def once_changed(numbers)
    sum = 0
    numbers.each { |number| sum += number & 3 }
    sum
  end

  def turn
    6.times { prices(1500) }
    30.times { words }
    12.times { each_number }
    2.times { table }
    @debt += @times
    while @debt >= 1
      changed
      @debt -= 1
    end
  end
end

turns, percent = ARGV.map { |word| Integer(word) }
mix = Mix.new(percent)
turns.times { mix.turn }
