# frozen_string_literal: true

require "rperf/minitest"
require_relative "../support/program"

# Limits on what code may cost, in Minitest and in RSpec.
class GatesTest < Minitest::Test
  include ProgramSupport
  include Rperf::Assertions

  Made = Class.new

  def teardown
    Rperf.stop
  end

  def burn(seconds)
    finish = cpu + seconds
    200.times { |number| number ** 2 } while cpu < finish
    :burnt
  end

  def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  def make(count) = Array.new(count) { Made.new }

  def failure(&) = assert_raises(Minitest::Assertion, &).message

  def test_cpu_time
    assert_equal :burnt, assert_cpu_time_below(2) { burn(0.1) }
    message = failure { assert_cpu_time_below(0.1) { burn(0.3) } }
    used = message[/\Athe block used (\d+\.\d) ms of CPU time, and must take less than 100\.0 ms; the heaviest functions:\n/, 1]
    assert_in_delta 300, used.to_f, 50
    assert_match(/^ +\d+\.\d ms +\d+\.\d%  GatesTest#burn \(.*gates_test\.rb\)$/, message)
    assert_operator message.lines.length, :<=, 11
  end

  # Waiting costs nothing; other threads do.
  def test_threads_count_and_waiting_does_not
    assert_cpu_time_below(0.1) { sleep 0.2 }
    message = failure { assert_cpu_time_below(0.1) { Array.new(2) { Thread.new { burn(0.1) } }.each(&:join) } }
    assert_match(/used \d+\.\d ms/, message)
  end

  def test_allocations
    2.times { assert_allocations_below(100) { make(5) } } # The VM's caches are objects, too.
    assert_equal 5, assert_allocations_below(7) { make(5) }.length
    message = failure { assert_allocations_below(6) { make(5) } }
    lines = message.lines(chomp: true)
    assert_equal "the block allocated 6 objects, and must take less than 6; the heaviest classes and lines:", lines[0]
    assert_match(/\A +5  GatesTest::Made in GatesTest#make \(.*gates_test\.rb:\d+\)\z/, lines[1])
    hostile = Class.new.set_temporary_name("a \e[2J")
    message = failure { assert_allocations_below(6) { Array.new(9) { hostile.new } } }
    assert_match(/^ +9  a \u{fffd}\[2J in /, message)
    message = failure { assert_allocations_below(10_000) { make(20_000) } }
    assert_match(/allocated 20,00\d objects/, message)
  end

  def test_a_block_without_sampled_objects
    2.times { make(5) } # The VM's caches are objects, too, and this test may be the first.
    assert_equal 5, assert_allocations_below(10) { 5 }
    Rperf.start(mode: :alloc, interval: 1_000_000)
    assert_equal 5, assert_allocations_below(10) { make(5) }.length
    assert_equal "the block allocated 6 objects, and must take less than 6; the heaviest classes and lines:\n", failure { assert_allocations_below(6) { make(5) } }
  end

  # Neither those of other threads, nor those that rperf makes around the block.
  def test_a_failure_shows_the_objects_that_were_counted
    [nil, {mode: :alloc, interval: 1}].each do |session|
      Rperf.start(**session) if session
      go, made = Thread::Queue.new, Thread::Queue.new
      other = Thread.new { made << make(50) while go.pop }
      message = failure { assert_allocations_below(6) { go << true; made.pop; make(5) } }
      rows = message.lines.drop(1)
      assert_equal message[/allocated (\d+) objects/, 1].to_i, rows.sum { |row| row[/\d+/].to_i }, message
      assert_match(/\A +5  GatesTest::Made in GatesTest#make /, rows.first)
    ensure
      go.close
      other.join
    end
  end

  SPEC = <<~RUBY
    require "rperf/rspec"
    def make(count) = Array.new(count) { Object.new }
    RSpec.describe "costs" do
      it("allows") { expect { make(5) }.to allocate_below(100) }
      it("allows time") { expect { make(5) }.to use_cpu_time_below(1) }
      it("allocates") { expect { make(500) }.to allocate_below(400) }
      it("is slow") { expect { make(300_000) }.to use_cpu_time_below(0.001) }
      it("is the other way round") { expect { make(5) }.not_to allocate_below(100) }
      it("has no block") { expect { expect(make(5)).to allocate_below(100) }.to raise_error(ArgumentError, "there must be a block: the code that has a limit") }
    end
  RUBY

  def test_rspec
    in_directory do |directory|
      write_file(directory, "costs_spec.rb", SPEC)
      run = 'require "rspec/core"; exit RSpec::Core::Runner.run(["costs_spec.rb"])'
      result = run_program(RUBY, "-I", Paths::LIB, "-e", run, directory:)
      assert_equal 1, result.code, result.inspect
      assert_match(/6 examples, 3 failures/, result.out)
      assert_match(/the block allocated 50\d objects, and must take less than 400; the heaviest classes and lines:\n +500  Object in .*make \(/, result.out)
      assert_match(/the block used [\d.]+ ms of CPU time, and must take less than 1.0 ms/, result.out)
      assert_match(/the block allocated \d+ objects, and must take 100 or more/, result.out)
    end
  end

  def test_places_in_gems_are_short
    in_directory do |directory|
      code = "class Tax\n  def self.all = Array.new(20) { Object.new }\nend\n"
      require write_file(directory, "gems/tax-1.2.0/lib/tax.rb", code)
      assert_match(/^ +20  Object in Tax\.all \(tax-1\.2\.0\/lib\/tax\.rb:2\)$/, failure { assert_allocations_below(10) { Tax.all } })
    end
  end

  def test_what_the_block_raises_goes_on
    assert_raises(KeyError) { assert_cpu_time_below(1) { raise KeyError } }
    assert_raises(KeyError) { assert_allocations_below(1) { raise KeyError } }
    refute_predicate Rperf, :running?
  end

  def test_wrong_limits
    [0, -1, "1", Float::INFINITY, 1i, 86_401].each do |limit|
      error = assert_raises(ArgumentError) { assert_cpu_time_below(limit) { flunk } }
      assert_equal "the limit must be a number above 0 and at most 86400 (seconds), not #{limit.inspect}", error.message
    end
    [1.5, 10**13].each do |limit|
      error = assert_raises(ArgumentError) { assert_allocations_below(limit) { flunk } }
      assert_equal "the limit must be a whole number above 0 and at most 1000000000000 (objects), not #{limit}", error.message
    end
    assert_match(/there must be a block/, assert_raises(ArgumentError) { assert_cpu_time_below(1) }.message)
  end

  # In the second block the first one's session would end.
  def test_one_block_at_a_time
    entered, go = Thread::Queue.new, Thread::Queue.new
    first = Thread.new { assert_cpu_time_below(60) { entered << true; go.pop } }
    entered.pop
    others = [Thread.new { failure { assert_cpu_time_below(0.1) { burn(0.3) } } }, Thread.new { assert_allocations_below(1_000) { make(5) } }]
    go << :first
    assert_equal :first, first.value
    assert_match(/\Athe block used \d+\.\d ms/, others.first.value)
    assert_equal 5, others.last.value.length
    assert_equal :inner, assert_cpu_time_below(60) { assert_cpu_time_below(60) { :inner } }
  end

  # As RSpec's `and` runs it.
  def test_limits_of_two_kinds_for_one_block
    errors = [-> { assert_cpu_time_below(60) { assert_allocations_below(60) { flunk } } },
      -> { assert_allocations_below(60) { assert_cpu_time_below(60) { flunk } } }].map { |code| assert_raises(Rperf::Error, &code) }
    assert_equal ["one block cannot have a limit of CPU time and one of objects: give each a block of its own (in RSpec without `and`)"], errors.map(&:message).uniq
    refute_predicate Rperf, :running?
  end

  def test_sessions_that_do_not_see_the_block
    assert_match(/the block ended the session/, assert_raises(Rperf::Error) { assert_cpu_time_below(1) { Rperf.stop } }.message)
    Rperf.start(defer: true)
    assert_match(/\(defer: true\): stop it before/, assert_raises(Rperf::Error) { assert_cpu_time_below(1) { flunk } }.message)
    Rperf.stop
    Rperf.start(aggregate: false)
    assert_match(/\(aggregate: false\): stop it before/, assert_raises(Rperf::Error) { assert_cpu_time_below(1) { flunk } }.message)
  end

  def test_a_session_that_runs_goes_on
    Rperf.start(mode: :cpu)
    burn(0.1)
    assert_match(/used \d+\.\d ms/, failure { assert_cpu_time_below(0.05) { burn(0.2) } })
    error = assert_raises(Rperf::Error) { assert_allocations_below(1) { flunk } }
    assert_match(/\Aa session of the mode cpu runs, and this needs one of the mode alloc, or none/, error.message)
    assert_in_delta 0.3e9, Rperf.stop[:samples].sum { |sample| sample[1] }, 0.15e9
  end
end
