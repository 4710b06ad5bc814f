# frozen_string_literal: true

require "json"
require "set"

# A program that reads, computes and writes, in this order. Arguments: the length of its work, and
# the work of Phases#changed in percent: 100, or more for a change that should be found.
class Phases
  def initialize(length, percent)
    @length = length
    @percent = percent
  end

  def call
    rows = read
    sorted = sort(rows)
    changed
    write(sorted)
  end

  def read = Array.new(@length * 400) { |number| {id: number, name: "name #{number * 7919 % 1000}", tags: [number % 7, number % 11]} }
  def sort(rows) = rows.group_by { |row| row[:name] }.transform_values { |group| score(group) }.sort_by { |name, score| [score, name] }
  def score(rows) = rows.sum { |row| row[:tags].each_with_index.sum { |tag, index| tag * (index + 1) } }

  # Takes a tenth of all time.
  def changed
    seen = Set.new
    (@length * 13 * @percent).times { |number| seen << number % 5003 }
    seen.size
  end

  def write(sorted) = (@length / 3).times { JSON.generate(JSON.parse(JSON.generate(sorted))) }
end

length, percent = ARGV.map { |word| Integer(word) }
Phases.new(length, percent).call
