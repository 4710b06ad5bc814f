# frozen_string_literal: true

# Methods of all sizes in Ruby and C, and a collector that is busy, in turns of some milliseconds.
# Arguments: how many turns, and what percentage of its work Mix#changed does: 100, or more to be
# found.
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

  # A tenth of all.
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
