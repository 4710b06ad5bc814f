# frozen_string_literal: true

require "minitest/autorun"
require_relative "support/manual_session"

# Ticks that another thread takes from outside: the same stacks as those that the thread takes
# itself.
class VmTicksFromOutsideTest < Minitest::Test
  include ManualSession

  # Both kinds of ticks, at the same place.
  def look_and_capture
    Native.tick_from_outside
    Native.tick
  end

  def in_a_method = look_and_capture
  def in_a_block = [1].each { look_and_capture }
  def in_a_c_method = [1].sort_by { |one| look_and_capture || one }
  def in_nested_blocks = 1.times { {1 => 2}.each_pair { [3].map { look_and_capture } } }
  def in_eval = eval("look_and_capture", binding, __FILE__, __LINE__)
  def in_a_fiber = Fiber.new { look_and_capture }.resume
  def in_a_deep_stack(depth = 300) = depth.zero? ? look_and_capture : in_a_deep_stack(depth - 1)
  define_method(:in_a_defined_method) { look_and_capture }

  # The environment of this method moves to the heap when its binding is taken.
  def in_an_escaped_block
    escaped = proc { look_and_capture }
    binding
    [1].each(&escaped)
  end

  instance_methods(false).grep(/\Ain_/).each do |kind|
    define_method("test_from_outside_#{kind}") do
      data = session(mode: :wall) { __send__(kind) }
      found = samples_at(data, "VmTicksFromOutsideTest#look_and_capture")

      assert_equal [2], found.map(&:count), stacks(data).inspect
    end

    # The stack of a fiber may be unmapped at any moment: the kernel copies it.
    define_method("test_from_outside_in_a_fiber_#{kind}") do
      data = session(mode: :wall) { Fiber.new { __send__(kind) }.resume }
      found = samples_at(data, "VmTicksFromOutsideTest#look_and_capture")

      assert_equal [2], found.map(&:count), stacks(data).inspect
    end
  end

  def gone = Native.tick_from_outside
  def gone_with_a_block = [1].each { Native.tick_from_outside }

  def gone_with_an_escaped_block
    kept = [1]
    escaped = proc { kept.each { Native.tick_from_outside } }
    binding
    escaped.call
  end

  # They are interpreted when the session ends, by what was copied alone.
  def test_frames_that_are_gone_have_their_names
    data = session(mode: :wall) { gone && nil || gone_with_a_block && gone_with_an_escaped_block }
    leaves = data[:samples].map { |sample| labels(sample).first }

    assert_includes leaves, "VmTicksFromOutsideTest#gone"
    assert_includes leaves, "VmTicksFromOutsideTest#gone_with_a_block"
    assert_includes leaves, "VmTicksFromOutsideTest#gone_with_an_escaped_block"
  end

  VALUES = Array.new(200) { |index| "value#{index}" }.freeze
  class_eval "def with_many_values(#{VALUES.join(", ")}) = look_and_capture", __FILE__, __LINE__ # def with_many_values(value0, value1, ...)

  # By few frames: the names of the inner ones lie behind what is copied at first.
  def test_a_stack_that_has_grown_by_many_values
    data = session(mode: :wall) { Native.tick_from_outside && nil || with_many_values(*VALUES) }
    found = samples_at(data, "VmTicksFromOutsideTest#look_and_capture", "VmTicksFromOutsideTest#with_many_values")

    assert_equal [2], found.map(&:count), stacks(data).inspect
  end

  # Each look finds its thread's stack elsewhere.
  def test_threads_and_fibers_one_after_the_other
    data = session(mode: :wall) do
      3.times { |n| Thread.new { n.zero? ? gone : in_a_fiber }.join }
    end
    leaves = data[:samples].map { |sample| labels(sample).first }

    assert_includes leaves, "VmTicksFromOutsideTest#gone"
    assert_includes leaves, "VmTicksFromOutsideTest#look_and_capture"
    refute data.fetch(:dropped, {}).key?("unreadable stack"), data[:dropped].inspect
  end
end
