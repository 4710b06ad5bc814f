# frozen_string_literal: true

require "fiddle"
require "tempfile"
require_relative "../support/test_helper"

# A profile's memory is Rust's: the collector has to be told of it.
class ProfileMemoryTest < Minitest::Test
  Profile = Rperf::Native::Profile

  DATA = {
    mode: :cpu, frequency: 1000,
    samples: Array.new(2_000) { |number| [[["/app.rb", "Object#method_#{number}"]], 1, 1, 0] }
  }.freeze

  # Bytes that Ruby frees meanwhile without the collector: 3 kB were seen. A profile has 345 kB.
  FREED = 20_000

  def setup
    GC.disable
    @before = malloced
  end

  def teardown = GC.enable

  def malloced = GC.stat(:malloc_increase_bytes)

  def test_the_collector_knows_what_a_profile_takes
    profile = Profile.from_h(DATA)
    assert_operator profile.memory_size, :>, 200_000
    assert_operator malloced - @before, :>=, profile.memory_size - FREED
  end

  def test_it_knows_what_each_copy_takes
    profiles = Array.new(3) { |number| Profile.from_h(DATA).then { |one| [one, one.commented("copy #{number}")] } }
    assert_operator malloced - @before, :>=, profiles.flatten.sum(&:memory_size) - FREED
  end

  # Not by the collector: what has been kept for long is old.
  def test_what_is_kept_is_freed_when_it_is_released
    profile = Profile.from_h(DATA)
    kept = Array.new(2) { Rperf::Native::KeptProfiles.new([profile]) }
    assert_equal [profile.to_h], kept.first.profiles.map(&:to_h)
    kept.each(&:release)
    assert_empty kept.first.profiles
    assert_equal 2_000, profile.to_h[:samples].length
    alone = Thread.new { Rperf::Native::KeptProfiles.new([Profile.from_h(DATA)]) }.value
    GC.start # Frees the object beside it. Counting begins anew.
    other = "x" * 1_000_000
    before, size = malloced, alone.memory_size
    alone.release
    assert_operator before - malloced, :>, size / 2, other.length
  end

  # Bytes that the C library has from the system (malloc_info(3)).
  def of_the_c_library
    libc = Fiddle.dlopen(nil)
    pointer, number = Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT
    Tempfile.create("malloc") do |file|
      stream = Fiddle::Function.new(libc["fopen"], [pointer, pointer], pointer).call(file.path, "w")
      Fiddle::Function.new(libc["malloc_info"], [number, pointer], number).call(0, stream)
      Fiddle::Function.new(libc["fclose"], [pointer], number).call(stream)
      file.read.split("</heap>").last.scan(/<(?:system type="current"|total type="mmap" count="\d+") size="(\d+)"/).flatten.sum(&:to_i)
    end
  end

  # The C library would keep what it has once had.
  def test_large_pieces_are_the_systems_own
    samples = Array.new(20_000) { |number| [[["/app.rb", "Object#a"]] * (1 + (number % 50)), 1, number + 1, 0] }
    before = of_the_c_library
    profile = Profile.from_h(DATA.merge(samples:))
    assert_operator profile.memory_size, :>, 1_000_000
    assert_operator of_the_c_library - before, :<, profile.memory_size / 4
  end if RUBY_PLATFORM.end_with?("linux")

  def test_what_was_not_read_is_freed
    segments = Rperf::Segments.new
    size = Thread.new do
      segments.add([Profile.from_h(DATA)])
      segments.join.sum(&:memory_size)
    end.value
    GC.start # Frees the objects beside it.
    other = "x" * 1_000_000
    before = malloced
    segments.release
    assert_operator before - malloced, :>, size / 2, other.length
    assert_nil segments.join
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
