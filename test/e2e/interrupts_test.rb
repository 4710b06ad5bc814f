# frozen_string_literal: true

require "json"
require_relative "../support/paths"
require_relative "../support/program"

# A thread is killed while rperf asks the VM for something: it ends, as it would anywhere else. (A
# kill comes when a method returns that Rust has called; here that method kills the thread itself.)
class InterruptsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  PROGRAM = <<~RUBY
    require "json"
    require "rperf"
    OWNERS = {list: Thread.singleton_class, count: Ractor.singleton_class, start: GC.singleton_class, native_thread_id: Thread}
    # Whether the thread has come to the method, what its block has returned, and whether a session
    # runs.
    def killed_in(name, &block)
      original = OWNERS[name].instance_method(name)
      OWNERS[name].define_method(name) { |*| (Thread.current[:asked] = true) && Thread.current.kill }
      thread = Thread.new(&block)
      ended = thread.join(60)
      OWNERS[name].define_method(name, original)
      [thread[:asked], ended ? thread.value : "lives", Rperf.running?]
    end
    $VERBOSE = nil
    results = []
    results << killed_in(:list) { Rperf.start(mode: :cpu) && 1 }
    results << killed_in(:native_thread_id) { Rperf.start(mode: :cpu) && 1 }
    results << killed_in(:count) { Rperf.start(mode: :cpu) && 1 }
    results << killed_in(:start) { Rperf.start(mode: :heap) && 1 }
    Rperf.start(mode: :cpu)
    results << killed_in(:list) { Rperf.snapshot && 1 }
    results << killed_in(:list) { Rperf.stop && 1 }
    1_000_000.times { |number| number ^ 1 }
    puts JSON.generate([results, Rperf.stop[:duration_ns] > 0, Rperf.running?])
  RUBY

  def test_a_thread_that_is_killed_in_start_snapshot_or_stop_ends
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", PROGRAM, directory:)
      killed = [true, nil]
      assert_equal [[*[[*killed, false]] * 4, *[[*killed, true]] * 2], true, false], JSON.parse(result.out), result.inspect
    end
  end
end
