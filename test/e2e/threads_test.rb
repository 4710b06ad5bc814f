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
    _, data = record(<<~RUBY, env: {"RUBY_THREAD_VM_STACK_SIZE" => (64 << 20).to_s})
      def down(n) = n.zero? ? busy(0.2) : down(n - 1)
      Thread.new { down(12_000) }.join
    RUBY
    cut = data[:samples].select { |frames,| frames.last == ["<rperf>", "[truncated]"] }
    assert_operator cut.sum { |sample| sample[1] }, :>, 100 * MILLISECOND, data[:dropped]
    assert(cut.all? { |frames,| frames.length == 10_001 && frames.first(5).any? { |_path, label| label == "Object#down" } })
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
    _, data = record(<<~RUBY, "-m", "wall")
      #{SCHEDULER}
      def first = 5.times { busy(0.02); sleep(0.01) }
      def second = 5.times { busy(0.04); sleep(0.01) }
      Thread.new do
        Fiber.set_scheduler(Sleepers.new)
        Fiber.schedule { first }
        Fiber.schedule { second }
      end.join
    RUBY
    first, second = weight(data, "Object#first"), weight(data, "Object#second")
    assert_in_delta 2.0, second.fdiv(first), 0.6, [first, second].inspect
  end

  # By work done, not by a clock: those of native threads jump for threads that change between them.
  def test_threads_that_change_their_native_thread
    result, data = record(<<~RUBY, env: {"RUBY_MN_THREADS" => "1", "RUBY_MAX_CPU" => "4"})
      def spin(n) = n.times { |i| i.to_s }
      def computing = 20.times { spin(20_000); sleep(0.001) }
      def other = 20.times { spin(40_000); Thread.pass }
      [*Array.new(4) { Thread.new { computing } }, Thread.new { other }].each(&:join)
      print Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
    RUBY
    computing, other = weight(data, "Object#computing"), weight(data, "Object#other")
    assert_in_delta 2.0, computing.fdiv(other), 0.6
    assert_operator computing + other, :<=, result.out.to_i, "nobody's time is charged to somebody else, too"
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
      def stopped = system("(sleep 0.5; kill -CONT \#{$$}) & kill -STOP \#{$$}")
      stopped
      busy
    RUBY
    { "wall" => 450.., "cpu" => ..200 }.each do |mode, milliseconds|
      _, data = record(code, "-m", mode)
      assert_operator milliseconds, :cover?, weight(data, "Object#stopped").fdiv(MILLISECOND), mode
      assert_in_delta 50 * MILLISECOND, weight(data, "Object#busy"), (mode == "cpu" ? 30 : 200) * MILLISECOND, mode
    end
  end
end
