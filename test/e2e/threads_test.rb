# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# Threads, fibers and stacks of unusual kinds, in programs that are profiled from their start to
# their end.
class ThreadsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  # For the programs, which print as JSON what they measured.
  PRELUDE = <<~RUBY.freeze
    require #{SpentTime::BURNING.dump}
    def busy(seconds = 0.1) = Burning.burn(seconds)
  RUBY

  # What the program printed, and the data of the profile.
  def record(code, *options, env: {})
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + code)
      result = rperf("record", "-o", "p.json", *options, "ruby", "program.rb", directory:, env:)
      assert_equal 0, result.code, result.inspect
      [JSON.parse(result.out), Rperf.load(File.join(directory, "p.json"))]
    end
  end

  # Nanoseconds of the samples with this function in their stack.
  def weight(data, name)
    data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == name } ? weight : 0 }
  end

  # Of the time in a stack of 12,000 frames, so much must have been seen: each tick there takes some
  # time, too.
  CUT_AT_LEAST = 0.1

  def test_a_stack_deeper_than_the_limit_is_cut_and_marked
    spent, data = record(<<~RUBY, env: {"RUBY_THREAD_VM_STACK_SIZE" => (64 << 20).to_s})
      def down(n) = n.zero? ? busy(0.3) : down(n - 1)
      p down(12_000).ns
    RUBY
    marked = data[:samples].select { |frames,| frames.last == ["<rperf>", "[truncated]"] }
    # A stack whose callers were in doubt has the mark below its innermost frame.
    # (An innermost frame that is just being made has no name, and is not shown.)
    cut = marked.select { |frames,| frames.length > 100 }
    assert_operator cut.sum { |sample| sample[1] }, :>, spent * CUT_AT_LEAST, data[:dropped]
    # (With the mark, and above the innermost frame one of what the collector does.)
    assert_empty cut.reject { |frames,| frames.length.between?(10_000, 10_002) && frames.first(10).any? { |_path, label| label == "Object#down" } }
      .map { |frames,| [frames.length, frames.first(12).map(&:last)] }
  end

  # Of the ticks that are due at 1000 Hz, the part that must have come: with a tick in 10 ms, where
  # processors are scarce, and two Ractors that may tick at the same time.
  TICKED_AT_LEAST = 0.03

  # The main thread waits all the while: the sampling thread must not take that for an idle program.
  def test_ractors_are_ticked_while_nobody_else_runs
    spent, data = record(<<~RUBY)
      Warning[:experimental] = false
      Rperf.snapshot(clear: true) # What ticked while the program began.
      p Array.new(2) { Ractor.new { busy(0.5).ns } }.sum(&:take)
    RUBY
    assert_operator data[:trigger_count], :>=, spent / 1_000_000 * TICKED_AT_LEAST, data[:dropped]
  end

  # Waits for the time of the earliest sleeper; all else of a scheduler is left out.
  SCHEDULER = <<~RUBY
    class Sleepers
      def initialize = @waiting = {}
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
      def kernel_sleep(seconds) = (@waiting[Fiber.current] = now + seconds; Fiber.yield)
      def block(*) = raise(NotImplementedError)
      def unblock(*) = raise(NotImplementedError)
      def io_wait(*) = raise(NotImplementedError)
      def close
        until @waiting.empty?
          fiber, due = @waiting.min_by(&:last)
          Thread.new { sleep([due - now, 0].max) }.join
          @waiting.delete(fiber)
          fiber.resume
        end
      end
    end
  RUBY

  def test_fibers_of_a_scheduler
    spent, data = record(<<~RUBY)
      #{SCHEDULER}
      def times(seconds) = Array.new(5) { busy(seconds).tap { sleep(0.01) } }.sum(Burning::NOTHING)
      def first = times(0.04)
      def second = times(0.08)
      spent = Queue.new
      Thread.new do
        Fiber.set_scheduler(Sleepers.new)
        Fiber.schedule { spent << [:first, first] }
        Fiber.schedule { spent << [:second, second] }
      end.join
      p Array.new(2) { spent.pop }.to_h.values_at(:first, :second).map(&:to_a)
    RUBY
    times = spent.map { |time| Burning::Spent.new(*time) }
    weights = %w[Object#first Object#second].map { |name| weight(data, name) }
    # What the thread used after its last tick is counted as lost when no other thread begins.
    lost = data[:dropped].values.sum { |drop| drop[:weight_ns] }
    assert_spent times.sum(Burning::NOTHING), weights.sum + lost
    times.zip(weights) { |time, weight| assert_includes (time.ns - tolerance_of(time) - lost)..(time.ns + tolerance_of(time)), weight }
  end

  # They work until something is done, not by a clock: that of a native thread jumps for threads
  # that change.
  def test_threads_that_change_their_native_thread
    spent, data = record(<<~RUBY, env: {"RUBY_MN_THREADS" => "1", "RUBY_MAX_CPU" => "4"})
      def spin(n) = n.times { |i| i * i }
      def computing = 20.times { spin(50_000); sleep(0.001) }
      def other = 20.times { spin(100_000); Thread.pass }
      p Burning.spent(Process::CLOCK_PROCESS_CPUTIME_ID) { [*Array.new(4) { Thread.new { computing } }, Thread.new { other }].each(&:join) }.ns
    RUBY
    weights = %w[Object#computing Object#other].map { |name| weight(data, name) }
    assert(weights.all?(&:positive?), weights.inspect)
    # No thread's time is charged to another one, too. What rperf's own thread used is in the clock
    # of the process only.
    assert_includes (spent * 0.5)..(spent * 1.1 + EDGES), weights.sum
  end

  # What a program that only makes threads uses beside what they compute (nanoseconds).
  LOADING = 50_000_000

  # One native thread for all: what those that have ended used of it is no other thread's.
  def test_a_thread_goes_on_after_others_have_ended_on_its_native_thread
    spent, data = record(<<~RUBY, env: {"RUBY_MN_THREADS" => "1", "RUBY_MAX_CPU" => "1"})
      def long = busy(0.05)
      def short = busy(0.02)
      turn, over = Queue.new, Queue.new
      thread = Thread.new { long.then { |spent| turn << true; over.pop; spent + long } }
      turn.pop
      shorts = Array.new(10) { Thread.new { short }.value }
      over << true
      p [thread.value, shorts.sum(Burning::NOTHING)].map(&:to_a)
    RUBY
    long, short = spent.map { |numbers| Burning::Spent.new(*numbers) }
    assert_near long, weight(data, "Object#long"), spent
    assert_near short, weight(data, "Object#short"), spent
    assert_operator data[:samples].sum { |sample| sample[1] }, :<, long.ns + short.ns + LOADING
  end

  # From when it gave up the GVL for the last time a thread waits for nothing, in no method: the
  # system may let it stand there for long.
  def test_the_end_of_a_thread_is_no_time_of_its_methods
    _spent, data = record(<<~RUBY, "-m", "wall")
      30.times { Thread.new { busy(0.003) }.join }
      p 0
    RUBY
    assert_operator weight(data, "Object#busy"), :>, 0
    states = data[:samples].filter_map { |frames,| frames.first.last if frames.any? { |_path, label| label == "Object#busy" } }
    assert_empty states.grep(/GVL/)
  end

  def test_threads_that_are_killed_and_requests_with_a_timeout
    spent, data = record(<<~RUBY, "-m", "wall")
      require "timeout"
      def request = busy(0.0005).tap { Thread.pass }
      spent = 0
      200.times do
        spent += Timeout.timeout(60) { request }.ns
        Timeout.timeout(0.0005) { sleep }
      rescue Timeout::Error
        Thread.new { loop { request } }.tap { Thread.pass }.kill.join
      end
      p spent
    RUBY
    assert_operator weight(data, "Object#request"), :>=, spent * 0.5, "what threads that were killed used comes on top"
  end

  # Stopped as a whole, the process notices nothing: the wall clock goes on, the CPU clock does not.
  def test_a_process_that_is_stopped_for_a_while
    { "wall" => "WALL", "cpu" => "CPU" }.each do |mode, clock|
      spent, data = record(<<~RUBY, "-m", mode)
        p Burning.spent(Burning::#{clock}) { system("(sleep 0.5; kill -CONT \#{$$}) & kill -STOP \#{$$}"); busy }.to_a
      RUBY
      assert_spent Burning::Spent.new(*spent), weight(data, "<main>"), mode
    end
  end

  # Threads inherit what may interrupt them; these would have held up the end for ever.
  def test_own_threads_end_though_nothing_interrupts_what_starts_them
    code = <<~RUBY
      Thread.handle_interrupt(Object => :never) do
        Rperf::Agent.start(push: "file:%m-%t.pb.gz", service: "shop")
        Rperf::Recorder.start(directory: "recordings")
        Rperf::Control.start
      end
      [Rperf::Agent, Rperf::Recorder, Rperf::Control].each(&:stop) if ARGV.any?
      p Thread.list.length
    RUBY
    in_directory do |directory|
      program = [RUBY, "-I", Paths::LIB, "-rrperf/agent", "-rrperf/recorder", "-rrperf/control", "-e", code]
      env = {"XDG_RUNTIME_DIR" => directory}
      assert_equal ["1\n", 0], run_program(*program, "stop", directory:, env:).then { |result| [result.out, result.code] }
      assert_equal 0, run_program(*program, directory:, env:).code
    end
  end
end
