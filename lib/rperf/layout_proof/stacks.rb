# frozen_string_literal: true

# Proves the layout of the VM's frames, by stacks of every kind that frames come in. To be loaded
# within a module of its own (`load(path, true)`): what is made here is garbage afterwards. Only new
# names stay, as Strings, in the heap of the program that is profiled, so these are names that Ruby
# itself uses somewhere.

object = Class.new do
  # A method alone.
  def call = valid?

  # A block.
  def block
    [1].each { return valid? }
  end

  # Blocks in blocks, called by methods in Ruby and in C.
  def times
    1.times { [2].map { [3].sort_by { return valid? } } }
  end

  # A block whose environment moves to the heap, as the binding of its method is taken.
  def escape
    block = proc { valid? }
    binding
    [1].sort_by { return block.call && valid? }
  end

  # A block that a method in C calls again.
  def sort_by
    result = true
    [1, 2].sort_by { |number| (result &&= valid?) && number }
    result
  end

  # A block that is a method.
  define_method(:lambda) { valid? }

  # Clauses of an exception's way.
  def rescue
    result, $DEBUG = $DEBUG, false # `ruby --debug` tells of each exception.
    raise KeyError, "part of the proof"
  rescue KeyError
    valid?
  ensure
    $DEBUG = result
    valid?
  end

  # What is evaluated.
  def text = instance_eval { valid? } && eval("valid?", binding, __FILE__, __LINE__)

  # The stack of a fiber.
  def fiber = Fiber.new { [1].each { Fiber.yield(valid?) } }.resume

  # A method of one object.
  def object
    object = Object.new
    def object.method = [Rperf::Native].map(&:layout_agrees?).first
    object.method
  end

  # Many frames.
  def dig(depth = 30) = depth.zero? ? valid? : dig(depth - 1)

  private

  def valid? = Rperf::Native.layout_agrees?
end.new

load("#{__dir__}/zjit.rb", true) if defined?(RubyVM::ZJIT)

# The plain stack first: under a layout that is wrong it is the safest one to walk.
Rperf::Native.prove_layout do
  %i[call block times escape sort_by lambda rescue text fiber object dig].all? { |name| object.__send__(name) }
end
