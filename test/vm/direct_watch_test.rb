# frozen_string_literal: true

require "json"
require_relative "support/allocating"
require_relative "support/manual_session"

# The direct watch sees what Ruby's collector counts, object by object, and leaves nothing behind.
class VmDirectWatchTest < Minitest::Test
  include ManualSession

  PROGRAMS = <<~RUBY
    require "rperf/allocation_proof"
    require #{File.expand_path("support/allocating", __dir__).dump}
    Native = Rperf::Native
    # Objects that were seen, and those that the collector has counted.
    def watch(&) = Native.watch_allocations(&)
    # The name of each program, the objects that were seen, and those that the collector has
    # counted.
    def compare
      Allocating::LEAST.each_key do |name|
        puts [name, *watch { Allocating.public_send(name) }].join(" ")
      end
    end
  RUBY

  def test_every_object_is_seen = assert_all_seen(ruby("#{PROGRAMS}; compare"))

  def test_every_object_is_seen_under_yjit
    assert_all_seen(ruby("#{PROGRAMS}; 2.times { compare }", "--yjit", "--yjit-call-threshold=2"))
    assert_all_seen(ruby("#{PROGRAMS}; compare; RubyVM::YJIT.enable; compare"))
  end

  def test_the_proof_holds_here
    assert_equal "true true", ruby('require "rperf/allocation_proof"; print Rperf::AllocationProof.ensure, " ", Rperf::AllocationProof.ensure')
    assert_equal "true", ruby('require "rperf/allocation_proof"; print Rperf::AllocationProof.ensure', "--yjit")
  end

  def test_objects_of_other_ractors_are_seen
    seen, allocated, after = ruby(<<~RUBY).split.map(&:to_i)
      #{PROGRAMS}
      ractors = -> { Array.new(2) { Ractor.new { 100_000.times { [1] } } }.each(&:take) }
      puts watch { ractors.call }
      # In two Ractors the collector's counters are not exact. Afterwards both are.
      puts watch { 1000.times { [1] } }.first
    RUBY
    assert_operator seen, :>=, 200_000
    assert_operator seen, :>=, allocated
    assert_operator after, :>=, 1000
    assert_operator after, :<, 1100
  end

  def test_a_ractor_that_ran_before_the_watch
    seen = ruby(<<~RUBY).to_i
      #{PROGRAMS}
      ractor = Ractor.new { Ractor.receive; 100_000.times { [1] } }
      print watch { ractor.send(1); 100_000.times { [1] }; ractor.take }.first
    RUBY
    assert_operator seen, :>=, 200_000
    assert_operator seen, :<, 200_200
  end

  # NoMemoryError jumps over rperf's functions. An object whose data found no memory is allocated,
  # and not seen. (A Ruby that checks itself, RUBY_DEBUG=1, ends where another raises this error.)
  def test_no_memory_for_the_data_of_an_object
    errors, seen, allocated, *after = ruby(<<~RUBY).split.map(&:to_i)
      #{PROGRAMS}
      kept = Array.new(2_000_000)
      Array.new(1_000_000) { Object.new }
      GC.start
      limit = File.read("/proc/self/status")[/^VmSize:\s*(\d+)/, 1].to_i * 1024 + (32 << 20)
      Process.setrlimit(:AS, limit, limit)
      errors = 0
      number = 0
      numbers = watch do
        kept[number += 1] = "x" * 2048 while true
      rescue NoMemoryError
        3.times do
          kept[number += 1] = Random.new(1) while true
        rescue NoMemoryError
          errors += 1
        end
        kept = nil
      end
      puts errors, numbers, watch { 100.times { [1] } }
    RUBY
    assert_equal 3, errors
    assert_includes allocated - errors..allocated, seen
    assert_equal [100, 100], after
  end unless GC::INTERNAL_CONSTANTS[:RB_BUG_INSTEAD_OF_RB_MEMERROR]

  def test_slots_and_pages_are_as_before
    before, changed, after, pages = ruby(<<~RUBY).lines.map { |line| JSON.parse(line) }
      require "json"
      #{PROGRAMS}
      pages = -> { File.readlines("/proc/self/maps").grep(/[.]so|ruby/).map { |line| line.split.values_at(0, 1) } }
      protection = pages.call
      puts Native.allocation_slots.to_json
      200.times { watch { [1] } }
      watch { puts Native.allocation_slots.to_json }
      puts Native.allocation_slots.to_json, (pages.call == protection).to_json
    RUBY
    assert_equal before, after
    assert pages
    loading, making = before.zip(changed).partition { |slot, _| slot[0] == "dlopen" }
    assert(making.all? { |slot, replaced| slot[2] != replaced[2] })
    assert_equal(1, loading.count { |slot, replaced| slot[2] != replaced[2] })
  end

  # Of a library whose table of addresses is read-only (RELRO with BIND_NOW), as this extension's
  # own is: the watch sees what it allocates.
  def test_read_only_tables
    assert_match(/BIND_NOW|NOW/, `readelf -d #{File.join(Paths::LIB, "rperf/rperf.so")}`)
    output = ruby(<<~RUBY).split
      #{PROGRAMS}
      Native::Profile # A class of this extension: its objects are data.
      puts watch { 10.times { Native.start(#{OPTIONS.inspect}); Native.stop } }
    RUBY
    assert_equal output[0], output[1]
  end

  def test_a_forked_child_goes_on_counting
    seen = ruby(<<~RUBY).split
      #{PROGRAMS}
      reader, writer = IO.pipe
      watch do
        Process.wait(fork { writer.puts watch { 1000.times { [1] } }.join(" ") })
      end
      print reader.gets
    RUBY
    assert_equal 1, seen.uniq.length
    assert_operator seen.first.to_i, :>=, 1000
  end

  private

  def assert_all_seen(output)
    rows = output.lines.map(&:split)
    assert_equal Allocating::LEAST.keys.map(&:to_s), rows.map(&:first).uniq
    rows.each do |name, seen, allocated|
      assert_equal allocated, seen, name
    end
    first = rows.first(Allocating::LEAST.length)
    first.each { |name, _, allocated| assert_operator allocated.to_i, :>=, Allocating::LEAST.fetch(name.to_sym), name }
  end
end
