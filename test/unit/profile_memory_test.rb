# frozen_string_literal: true

require_relative "../support/test_helper"

# A profile's memory is Rust's: the collector has to be told of it.
class ProfileMemoryTest < Minitest::Test
  Profile = Rperf::Native::Profile

  DATA = {
    mode: :cpu, frequency: 1000,
    samples: Array.new(2_000) { |number| [[["/app.rb", "Object#method_#{number}"]], 1, 1, 0] }
  }.freeze

  def setup
    GC.disable
    @before = malloced
  end

  def teardown = GC.enable

  def malloced = GC.stat(:malloc_increase_bytes)

  def test_the_collector_knows_what_a_profile_takes
    profile = Profile.from_h(DATA)
    assert_operator profile.memory_size, :>, 200_000
    assert_operator malloced - @before, :>=, profile.memory_size
  end

  def test_it_knows_what_each_copy_takes
    profiles = Array.new(3) { |number| Profile.from_h(DATA).marked("copy #{number}", "copy", number.to_s) }
    assert_operator malloced - @before, :>=, 2 * profiles.sum(&:memory_size)
  end

  # Dropped profiles are collected, although they are few objects: with the next memory that Ruby
  # itself takes.
  def test_what_is_dropped_is_collected
    GC.enable
    count = GC.count
    300.times { [Profile.from_h(DATA), "x" * 10_000] }
    assert_operator GC.count - count, :>=, 2
  end
end
