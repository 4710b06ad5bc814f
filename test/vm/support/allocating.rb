# frozen_string_literal: true

# Programs that allocate in every way that Ruby has. Each block makes at least as many objects as
# its name says in LEAST; a test compares what was seen with what the collector has counted.
module Allocating
  # At least so many objects of each.
  LEAST = {
    strings: 10_000, threads: 50, fibers: 200, classes: 100, evaluated: 300, exceptions: 500, numbers: 3000, matches: 1000,
    structures: 1000, json: 1000, extensions: 200, stressed: 80, io: 20, procs: 1000, enumerators: 300, finalizers: 100
  }.freeze

  module_function

  def strings = 10_000.times { |number| number.to_s }

  def threads = Array.new(50) { Thread.new { Thread.current[:number] = +"own" } }.each(&:join)

  def fibers = Array.new(200) { Fiber.new { Fiber.yield([1]) } }.each(&:resume)

  def classes = Array.new(100) { Class.new { attr_accessor :one }.new.one = [1] }

  def evaluated = 100.times { |number| eval("[#{number}, {one: #{number}}, \"\#{1}\"]", binding, __FILE__, __LINE__) }

  def exceptions
    500.times do
      raise KeyError, "no such key"
    rescue KeyError => error
      error.backtrace_locations
    end
  end

  def numbers = 1000.times { |number| [2**(70 + number), 1.5e200 * number, Rational(number, 7), Complex(1, number)] }

  def matches = 1000.times { "one two" =~ /(?<first>\w+)/ && $~[:first] }

  def structures
    pair = Struct.new(:first, :second)
    point = Data.define(:x, :y)
    500.times { |number| [pair.new(number, 1), point.new(x: 1, y: number), number..] }
  end

  def json
    require "json"
    100.times { JSON.parse(JSON.generate({list: [1, 2.5, nil, "text"], table: {"key" => "value"}})) }
  end

  # Libraries that are loaded meanwhile have slots of their own.
  def extensions
    require "strscan"
    require "date"
    100.times { |number| [StringScanner.new("text"), Date.new(2000 + number, 1, 1)] }
  end

  def io = 20.times { IO.pipe.each(&:close) }

  def procs = 1000.times { |number| [proc { number }, method(:puts), binding] }

  def enumerators = 100.times { [[1, 2].each.next, (1..).lazy.map(&:succ).first(2)] }

  def finalizers
    100.times { ObjectSpace.define_finalizer(Object.new, proc { +"gone" }) }
    GC.start
  end

  def stressed
    GC.stress = true
    20.times { |number| [number.to_s, {number:}, Object.new] }
  ensure
    GC.stress = false
  end
end
