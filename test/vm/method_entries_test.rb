# frozen_string_literal: true

require_relative "support/manual_session"

# Calls for which the VM makes objects of their own, to which their frames refer: a session that met
# one million of them would keep one million, with what they refer to.
class MethodEntriesTest < Minitest::Test
  include ManualSession

  # Methods whose calls have such objects.
  module Calls
    def matching = "one two" =~ /(t)wo/ && [1].each { tick }
    def reading_a_line = $_.nil? && ($_ = "line") && tick
    def plain = tick
    define_method(:defined) { tick }
  end

  # Runs them, and takes ticks in all ways.
  class Caller
    include Calls

    # Objects of it are one sample each.
    Sampled = Class.new

    def tick
      Rperf::Native.tick
      Rperf::Native.tick_from_outside
      Sampled.new
    end

    # Fresh method entries, as Sinatra's routes and Tilt's templates have.
    def bound = Calls.instance_method(:plain).bind(self).call
    def bound_block = Calls.instance_method(:defined).bind(self).call
    def bound_and_called = Calls.instance_method(:plain).bind_call(self)
    def bound_to_an_extended_object = Calls.instance_method(:plain).bind_call(dup.extend(Comparable))
    def bound_c_method = Kernel.instance_method(:then).bind_call(self) { tick }

    # Bodies whose calls have scopes of their own, where methods have their entries.
    def body_of_a_class
      class << self
        attached_object.tick
      end
    end

    BODY = RubyVM::InstructionSequence.compile("'two' =~ /w/ && MethodEntriesTest::Caller.new.tick")
    def compiled_body = BODY.eval
  end

  LABELS = {
    matching: "Calls#matching", reading_a_line: "Calls#reading_a_line", bound: "Calls#plain", bound_block: "block in <module:Calls>",
    bound_and_called: "Calls#plain", bound_to_an_extended_object: "Calls#plain", bound_c_method: "Kernel#then",
    body_of_a_class: "singleton class", compiled_body: "<compiled>"
  }.freeze

  # In the later calls a few places are met that the first ones did not meet.
  CHANCE = 10

  LABELS.each do |name, label|
    define_method("test_#{name}") do
      few, many, data = frames_of(calls(name), 20, 200, mode: :wall)

      assert_in_delta few, many, CHANCE, "each call has frames of its own"
      assert(stacks(data).any? { |stack| stack.any? { |frame| frame.end_with?(label) } }, stacks(data).inspect)
    end

    define_method("test_objects_of_#{name}") do
      few, many, = frames_of(calls(name), 20, 200, mode: :alloc, interval: 1)

      assert_in_delta few, many, CHANCE, "each call has frames of its own"
    end
  end

  private

  # Calls the method, always of one object.
  def calls(name)
    caller = Caller.new
    -> { caller.public_send(name) }
  end
end
