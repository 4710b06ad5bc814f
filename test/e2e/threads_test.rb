# frozen_string_literal: true

require_relative "../support/program"

# Threads, fibers and stacks of unusual kinds, in programs that are profiled from their start to their end.
class ThreadsTest < Minitest::Test
  include ProgramSupport

  CLOCK = "Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)"
  PRELUDE = "def busy(seconds = 0.05) = (t = #{CLOCK} + seconds; nil while #{CLOCK} < t)\n".freeze
  MILLISECOND = 1_000_000

  # The result, and the data of the profile.
  def record(code, *options, env: {})
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + code)
      result = rperf("record", "-o", "p.json", *options, "ruby", "program.rb", directory:, env:)
      assert_equal 0, result.code, result.inspect
      [result, Rperf.load(File.join(directory, "p.json"))]
    end
  end

  # Nanoseconds of the samples with this function in their stack.
  def weight(data, name)
    data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == name } ? weight : 0 }
  end

  def test_a_stack_deeper_than_the_limit_is_cut_and_marked
    _, data = record(<<~RUBY, env: {"RUBY_THREAD_VM_STACK_SIZE" => (64 << 20).to_s, "RPERF_TIMER" => "perf"})
      def down(n) = n.zero? ? busy(0.2) : down(n - 1)
      down(12_000)
    RUBY
    cut = data[:samples].select { |frames,| frames.last == ["<rperf>", "[truncated]"] }
    assert_operator cut.sum { |sample| sample[1] }, :>, 50 * MILLISECOND, data[:dropped]
    assert(cut.all? { |frames,| frames.length == 10_001 && frames.first(5).any? { |_path, label| label == "Object#down" } })
  end

  # The main thread waits all the while: who ticks must not take that for an idle program.
  def test_ractors_are_ticked_while_nobody_else_runs
    _, data = record(<<~RUBY)
      Warning[:experimental] = false
      Array.new(2) { Ractor.new { busy(0.5) } }.each(&:take)
    RUBY
    assert_operator data[:trigger_count], :>, 100, data[:dropped]
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
    _, data = record(<<~RUBY)
      #{SCHEDULER}
      def first = 5.times { busy(0.02); sleep(0.01) }
      def second = 5.times { busy(0.04); sleep(0.01) }
      Thread.new do
        Fiber.set_scheduler(Sleepers.new)
        Fiber.schedule { first }
        Fiber.schedule { second }
      end.join
    RUBY
    weights = %w[Object#first Object#second].map { |name| weight(data, name) }
    # How they share it is a matter of accuracy, which needs a quiet machine.
    assert(weights.all? { |weight| weight > 10 * MILLISECOND }, weights.inspect)
    # What the thread used after its last tick is counted as lost when no other thread begins.
    lost = data[:dropped].values.sum { |drop| drop[:weight_ns] }
    assert_operator weights.sum + lost, :>=, 240 * MILLISECOND, "they used 300 ms at least"
  end

  # They work until something is done, not by a clock: that of a native thread jumps for threads that change.
  def test_threads_that_change_their_native_thread
    result, data = record(<<~RUBY, env: {"RUBY_MN_THREADS" => "1", "RUBY_MAX_CPU" => "4"})
      def spin(n) = n.times { |i| i * i }
      def computing = 20.times { spin(50_000); sleep(0.001) }
      def other = 20.times { spin(100_000); Thread.pass }
      [*Array.new(4) { Thread.new { computing } }, Thread.new { other }].each(&:join)
      print Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
    RUBY
    weights = %w[Object#computing Object#other].map { |name| weight(data, name) }
    assert(weights.all? { |weight| weight > 10 * MILLISECOND }, weights.inspect)
    # Nobody's time is charged to somebody else, too.
    assert_includes (result.out.to_i * 0.6)..(result.out.to_i * 1.02), weights.sum
  end

  def test_threads_that_are_killed_and_requests_with_a_timeout
    _, data = record(<<~RUBY, "-m", "wall")
      require "timeout"
      def request = busy(0.0005).then { Thread.pass }
      200.times do
        Timeout.timeout(10) { request }
        Timeout.timeout(0.0005) { sleep }
      rescue Timeout::Error
        Thread.new { loop { request } }.tap { Thread.pass }.kill.join
      end
    RUBY
    assert_operator weight(data, "Object#request"), :>=, 70 * MILLISECOND
  end

  # Stopped as a whole, the process notices nothing: the wall clock goes on, the CPU clock does not.
  def test_a_process_that_is_stopped_for_a_while
    code = <<~RUBY
      system("(sleep 0.5; kill -CONT \#{$$}) & kill -STOP \#{$$}")
      busy
    RUBY
    { "wall" => 500.., "cpu" => 40..300 }.each do |mode, milliseconds|
      _, data = record(code, "-m", mode)
      assert_operator milliseconds, :cover?, weight(data, "<main>").fdiv(MILLISECOND), mode
    end
  end
end
