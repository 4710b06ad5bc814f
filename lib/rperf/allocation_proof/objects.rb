# frozen_string_literal: true

# Proves that the direct watch sees every object, with objects of each kind that Ruby allocates in
# its own way. This file must be loaded within a module of its own (`load(path, true)`), so that its
# objects are garbage afterwards.

object = Class.new do
  # Strings inside and outside of their slot.
  def text = [+"text", "text" * 100, "text #{self.class}", :text.to_s]

  # Arrays of all sizes.
  def list = [[1, 2], Array.new(100), [1, 2, 3].map { |number| [number] }, (1..10).each_slice(3).to_a]

  # Hashes, small and large.
  def table = [{size: 1}, Array.new(20) { |number| [number, number] }.to_h, {}.compare_by_identity]

  # Objects with few and many instance variables.
  def object = [Object.new, self.class.new, self.class.allocate.itself.dup]

  # Numbers that are objects.
  def number = [1.0e300 * 2, 2**100, 1r / 3, Complex(1, 2), 10**30 / 7]

  # Code that is an object.
  def code = [proc { 1 }, lambda { 2 }, method(:text), binding, :size.to_proc]

  # Structures.
  def structure
    @structure ||= Struct.new(:first, :second)
    [@structure.new(1, 2), 1..self.class.name.to_s.size, @structure.new(1, 2).to_h]
  end

  # Results of pattern matches.
  def match = ["one two".match(/(\w+) (\w+)/).captures, "one two".scan(/\w+/), "one"[/n./]]

  # Exceptions with their backtrace.
  def exception
    raise ArgumentError, "part of the proof"
  rescue ArgumentError => error
    [error.backtrace, error.backtrace_locations, error.message]
  end

  # Enumerators and their fibers.
  def fiber = [Fiber.new { Fiber.yield(+"one") }.resume, [1, 2].each.next, (1..).lazy.map(&:succ).first(2)]

  # Threads, with their objects.
  def thread = Thread.new { [Mutex.new, Queue.new] }.value

  # Classes, modules and singleton methods.
  def type
    Class.new { def method = 1 }.new.method
    Object.new.extend(Module.new).singleton_class
  end
end.new

# More rounds than the JIT compiler needs to compile a method; fewer of the most expensive ones.
RARE = %i[thread type].freeze
begin
  debug, $DEBUG = $DEBUG, false # `ruby --debug` tells of each exception.
  Rperf::AllocationProof.compare do
    object.public_methods(false).each { |name| (RARE.include?(name) ? 3 : 40).times { object.public_send(name) } }
  end
ensure
  $DEBUG = debug
end
