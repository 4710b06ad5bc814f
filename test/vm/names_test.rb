# frozen_string_literal: true

require_relative "support/manual_session"

# Every way to define a method, and what it is called.
class VmNamesTest < Minitest::Test
  include ManualSession

  # Methods of a class.
  class Plain
    def self.of_class = Rperf::Native.tick
    class << self
      def of_singleton_class = Rperf::Native.tick
    end
    define_method(:defined) { Rperf::Native.tick }
    def block = proc { Rperf::Native.tick }
    def nested = [1].each { [2].each { Rperf::Native.tick } }
    def respond_to_missing?(...) = true
    def method_missing(*) = Rperf::Native.tick
    def rescued = raise(KeyError)
    def rescuing = rescued rescue Rperf::Native.tick
    def ensuring
      nil
    ensure
      Rperf::Native.tick
    end
  end

  # A module whose methods are its functions.
  module Functions
    module_function

    def function = Rperf::Native.tick
  end

  # Changes String where it is used.
  module Refined
    refine String do
      def refined = Rperf::Native.tick
    end
  end

  using Refined

  # The leaf of the only tick of the block. (A collection may come as well.)
  def leaf(&)
    data = session(&)
    others = ["ManualSession#session", "[GC marking]", "[GC sweeping]"]
    here = "VmNamesTest##{caller_locations(1, 1).first.base_label}"
    stack = stacks(data).find { |labels| !others.include?(labels.first) } or flunk(stacks(data).inspect)
    stack.take_while { |label| label != here }
  end

  def test_methods_of_classes
    assert_equal ["VmNamesTest::Plain.of_class"], leaf { Plain.of_class }
    assert_equal ["VmNamesTest::Plain.of_singleton_class"], leaf { Plain.of_singleton_class }
  end

  # Ruby names it by where its block stands.
  def test_define_method = assert_equal(["block in <class:Plain>"], leaf { Plain.new.defined })

  def test_a_method_of_one_object
    object = Plain.new
    def object.own = Rperf::Native.tick
    assert_match(/\A#<VmNamesTest::Plain.*>\.own\z/, leaf { object.own }.first)
  end

  def test_method_missing = assert_equal(["VmNamesTest::Plain#method_missing"], leaf { Plain.new.anything })
  def test_module_functions = assert_equal(["VmNamesTest::Functions.function"], leaf { Functions.function })
  def test_refinements = assert_match(/\A#<.*>#refined\z/, leaf { "text".refined }.first)

  def test_rescue_and_ensure
    assert_equal ["VmNamesTest::Plain#rescuing", "VmNamesTest::Plain#rescuing"], leaf { Plain.new.rescuing }
    assert_includes leaf { Plain.new.ensuring }, "VmNamesTest::Plain#ensuring"
  end

  def test_blocks
    assert_equal ["VmNamesTest::Plain#block"], leaf { Plain.new.block.call }
    expected = ["VmNamesTest::Plain#nested", "Array#each", "VmNamesTest::Plain#nested", "Array#each",
      "VmNamesTest::Plain#nested"]
    assert_equal expected, leaf { Plain.new.nested }
  end

  # The binding moves the method's environment to the heap; the throw ends all before the safepoint.
  def escaped
    block = proc { throw(:out, Rperf::Native.tick) }
    binding.local_variable_set(:escaped_to, block)
    block.call
  end

  def test_environments_that_have_moved_to_the_heap
    assert_equal ["VmNamesTest#escaped", "VmNamesTest#escaped"], leaf { catch(:out) { escaped } }
  end

  # Evaluated code is named after the method around it; a line of another file is no line of that
  # method's.
  def test_eval
    assert_equal ["VmNamesTest#evaluated", "BasicObject#instance_eval", "VmNamesTest#evaluated"], leaf { evaluated(__FILE__) }
    assert_equal 77, line_of(session { evaluated(__FILE__) })
    assert_equal 0, line_of(session { evaluated("elsewhere.rb") })
  end

  def evaluated(file) = instance_eval("Rperf::Native.tick", file, 77)

  def line_of(data)
    sample = assert_leaf(data, "VmNamesTest#evaluated")
    assert_equal __FILE__, sample[0].first.path
    sample.lines.first.first.first
  end

  def test_fibers
    data = session do
      fiber = Fiber.new { in_fiber }
      fiber.resume
      fiber.resume
    end
    sample = assert_leaf(data, "VmNamesTest#in_fiber", "VmNamesTest##{__method__}")
    assert_equal [2, 2], [sample.count, sample[0].length], "a fiber's stack is its own"
  end

  def in_fiber
    Rperf::Native.tick
    Fiber.yield
    Rperf::Native.tick
  end

  def test_enumerators
    data = session { Enumerator.new { |yielder| yielder << Rperf::Native.tick }.next }
    assert_leaf data, "VmNamesTest##{__method__}", "Enumerator::Generator#each"
  end
end
