# frozen_string_literal: true

# Proves the layout of the VM's frames with stacks of each kind of frame. This file must be loaded
# within a module of its own (`load(path, true)`), so that its objects are garbage afterwards. Only
# new names would stay in the heap of the profiled program, as Strings, so all names here are ones
# that Ruby itself uses.

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

  # A block whose environment moves to the heap, since the binding of its method is taken.
  def escape
    block = proc { valid? }
    binding
    [1].sort_by { return block.call && valid? }
  end

  # A block that a method in C calls repeatedly.
  def sort_by
    result = true
    [1, 2].sort_by { |number| (result &&= valid?) && number }
    result
  end

  # A method that is defined by a block.
  define_method(:lambda) { valid? }

  # A rescue clause and an ensure clause.
  def rescue
    result, $DEBUG = $DEBUG, false # `ruby --debug` tells of each exception.
    raise KeyError, "part of the proof"
  rescue KeyError
    valid?
  ensure
    $DEBUG = result
    valid?
  end

  # Evaluated code.
  def text = instance_eval { valid? } && eval("valid?", binding, __FILE__, __LINE__)

  # The stack of a fiber.
  def fiber = Fiber.new { [1].each { Fiber.yield(valid?) } }.resume

  # A singleton method.
  def object
    object = Object.new
    def object.method = [Rperf::Native].map(&:layout_agrees?).first
    object.method
  end

  # A stack of many frames.
  def dig(depth = 30) = depth.zero? ? valid? : dig(depth - 1)

  private

  def valid? = Rperf::Native.layout_agrees?
end.new

load("#{__dir__}/zjit.rb", true) if defined?(RubyVM::ZJIT)

# The plain stack comes first: under a wrong layout it is the safest one to walk.
Rperf::Native.prove_layout do
  %i[call block times escape sort_by lambda rescue text fiber object dig].all? { |name| object.__send__(name) }
end
