# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# A thread is killed, or out of time, at any moment, and what it has begun is ended. (An interrupt
# comes where a native method, or one that Rust has called, returns; here such a method sends it.)
class InterruptsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  KILLED = <<~RUBY
    require "json"
    require "rperf"
    OWNERS = {list: Thread.singleton_class, count: Ractor.singleton_class, start: GC.singleton_class, native_thread_id: Thread,
              to_a: RubyVM::InstructionSequence}
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
    def work(text = "abc" * 1000, last = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.3)
      100.times { text =~ /([a-z]+)(\\d)\\s/ } while Process.clock_gettime(Process::CLOCK_MONOTONIC) < last
    end
    $VERBOSE = nil
    results = []
    results << killed_in(:list) { Rperf.start(mode: :cpu); 1 }
    results << killed_in(:native_thread_id) { Rperf.start(mode: :cpu); 1 }
    results << killed_in(:count) { Rperf.start(mode: :cpu); 1 }
    results << killed_in(:start) { Rperf.start(mode: :heap); 1 }
    Rperf.start(mode: :cpu)
    work
    results << killed_in(:list) { Rperf.snapshot && 1 }
    results << killed_in(:to_a) { Rperf.snapshot && 1 } # For the instructions of a method.
    results << killed_in(:list) { Rperf.stop && 1 }
    puts JSON.generate([results, Rperf.stop[:duration_ns] > 0, Rperf.running?])
  RUBY

  def test_a_thread_that_is_killed_in_start_snapshot_or_stop_ends
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", KILLED, directory:)
      killed = [true, nil]
      assert_equal [[*[[*killed, false]] * 4, *[[*killed, true]] * 3], true, false], JSON.parse(result.out), result.inspect
    end
  end

  OUT_OF_TIME = <<~RUBY
    require #{SpentTime::BURNING.inspect}
    require "json"
    require "rperf"
    class OutOfTime < StandardError; end
    # Raises when the native method of this name has done its work.
    def out_of_time_in(name)
      sends = true
      Rperf::Native.singleton_class.prepend(Module.new do
        define_method(name) do |*arguments, **options|
          super(*arguments, **options).tap { sends && (sends = Thread.new(Thread.current) { |thread| thread.raise(OutOfTime) && nil }.value) }
        end
      end)
      yield
      false
    rescue OutOfTime
      sends = false
      true
    end
    results = {}
    results[:start] = [out_of_time_in(:start) { Rperf.start(mode: :cpu) }, Rperf.running?, Rperf.stop.nil?, Rperf.running?]
    results[:block] = [out_of_time_in(:start) { Rperf.start(mode: :cpu) { fail } }, Rperf.running?]
    Rperf.start(mode: :cpu)
    results[:other] = [(Rperf.start(mode: :cpu) { fail } rescue $!.message), Rperf.running?]
    Rperf.stop
    Rperf.start(mode: :cpu, defer: true)
    results[:profile] = out_of_time_in(:enter_profile) { Rperf.profile { fail } }
    Burning.burn(0.2)
    results[:weight] = Rperf.stop[:samples].sum { |_, weight| weight }
    def spent(data) = data[:samples].sum { |_, weight| weight }
    [false, true].each do |watched|
      Rperf.start(mode: :cpu)
      reader = Rperf::Reader.open if watched
      Burning.burn(0.2)
      results[:cleared] = [*results[:cleared], [out_of_time_in(:snapshot) { Rperf.snapshot(clear: true) }, spent(Rperf.stop), Rperf.stop]]
      results[:read] = spent(reader.take.first.to_h) if watched
    end
    ["p.json", nil].each do |output|
      Rperf.start(mode: :cpu, output:)
      Burning.burn(0.2)
      stopped = [out_of_time_in(:stop) { Rperf.stop }, Rperf.running?, output.nil? || File.exist?(output)]
      results[:stopped] = [*results[:stopped], [*stopped, spent(Rperf.stop), Rperf.stop]]
    end
    Rperf.start(mode: :cpu)
    out_of_time_in(:stop) { Rperf.stop }
    Rperf.start(mode: :wall)
    results[:next] = [Rperf.stop[:mode], Rperf.stop]
    Rperf.start(mode: :cpu)
    masked = out_of_time_in(:stop) { Thread.handle_interrupt(OutOfTime => :never) { results[:masked] = Rperf.stop[:mode] } }
    results[:masked] = [masked, results[:masked], Rperf.stop]
    Dir.mkdir("gone")
    Rperf.start(mode: :cpu, output: "gone/p.json")
    Dir.rmdir("gone")
    results[:unwritten] = [(Rperf.stop rescue $!.class.name), Rperf.stop[:mode], Rperf.stop]
    puts JSON.generate(results)
  RUBY

  def test_a_thread_that_is_out_of_time_when_a_session_or_a_block_has_begun
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", OUT_OF_TIME, directory:)
      results = JSON.parse(result.out)
      assert_equal [true, true, false, false], results["start"], "it runs, and can be stopped"
      assert_equal [true, false], results["block"], "it has ended with its block"
      assert_equal ["a session runs already: stop it with Rperf.stop before you start another", true], results["other"]
      assert results["profile"]
      assert_operator results["weight"], :<, SpentTime::EDGES
      assert_nothing_is_lost(results)
    end
  end

  # Nanoseconds of CPU time, of 200 ms.
  BURNT = 100_000_000

  def assert_nothing_is_lost(results)
    results["cleared"].each { |out_of_time, stopped, again| assert_equal [true, true, nil], [out_of_time, stopped > BURNT, again], "stop has what no snapshot returned" }
    assert_operator results["read"], :>, BURNT
    results["stopped"].each do |out_of_time, running, written, stopped, again|
      assert_equal [true, false, true, true, nil], [out_of_time, running, written, stopped > BURNT, again], "the next stop has what this one did not return"
    end
    assert_equal ["wall", nil], results["next"], "the next start forgets it"
    assert_equal [true, "cpu", nil], results["masked"], "the program's own masks hold"
    assert_equal ["Rperf::Error", "cpu", nil], results["unwritten"], "a file that cannot be written"
  end

  PIPE = <<~RUBY
    require "rperf"
    File.mkfifo("pipe")
    Rperf.start(mode: :cpu, output: "pipe")
    stopping = Thread.new { Rperf.stop }
    Thread.pass until stopping.stop?
    stopping.kill
    print stopping.join(60) ? "ended" : "waits", " ", Rperf.stop&.fetch(:mode).inspect
  RUBY

  def test_a_stop_that_waits_for_the_reader_of_a_pipe_can_be_interrupted
    in_directory { |directory| assert_equal "ended :cpu", run_program(RUBY, "-I", Paths::LIB, "-e", PIPE, directory:).out }
  end
end
