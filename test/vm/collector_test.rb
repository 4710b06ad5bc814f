# frozen_string_literal: true

require_relative "support/manual_session"

# Names stay right whatever the collector does between the tick and the end of the session.
class VmCollectorTest < Minitest::Test
  include ManualSession

  def work = Native.tick

  def many_methods(number)
    Class.new do
      number.times { |index| class_eval("def m#{index} = Rperf::Native.tick", __FILE__, __LINE__) }
    end
  end

  def test_stress
    data = session(mode: :wall) do
      GC.stress = true
      work
      [1].sort_by { |_one| work }
      GC.stress = false
    end
    assert_equal 1, assert_leaf(data, "VmCollectorTest#work", "VmCollectorTest##{__method__}", "ManualSession#session").count
    assert_equal 1, assert_leaf(data, "VmCollectorTest#work", "VmCollectorTest##{__method__}", "Enumerable#sort_by").count
  ensure
    GC.stress = false
  end

  def test_compaction
    data = session do
      self.class.const_set(:Moving, many_methods(200))
      Moving.new.then { |object| 200.times { |index| object.public_send("m#{index}") } }
      GC.compact
    end
    found = stacks(data).map(&:first).grep(/Moving#m/)
    assert_equal Array.new(200) { |index| "VmCollectorTest::Moving#m#{index}" }.sort, found.sort
  ensure
    self.class.__send__(:remove_const, :Moving)
  end

  def test_compaction_while_a_tick_waits
    data = session do
      [1].map { |_one| Native.tick }
      GC.compact
    end
    assert_equal 1, assert_leaf(data, "VmCollectorTest##{__method__}", "Array#map", "VmCollectorTest##{__method__}").count
  end

  def test_methods_and_classes_that_are_gone
    data = session do
      gone = self.class.const_set(:Gone, many_methods(2).tap { |methods| methods.class_eval { def captured = Rperf::Native.tick } })
      gone.new.captured
      gone.new.m1
      gone.undef_method(:captured)
      gone.remove_method(:m1)
      gone = nil
      self.class.__send__(:remove_const, :Gone)
      4.times { GC.start }
      many_methods(50)
    end
    assert_equal %w[VmCollectorTest::Gone#captured VmCollectorTest::Gone#m1], stacks(data).map(&:first).grep(/Gone/).sort
  end

  def test_the_collectors_time_is_shown_with_the_stack_that_caused_it
    data = session { collect }
    samples = data[:samples].select { |sample| labels(sample)[1, 3]&.include?("VmCollectorTest#collect") }
    assert_includes samples.map { |sample| sample[0][0] }, ["<GC>", "[GC marking]"]
    assert_includes samples.map { |sample| sample[0][0] }, ["<GC>", "[GC sweeping]"]
  end

  def collect = 3.times { GC.start(full_mark: true, immediate_sweep: true) }
end
