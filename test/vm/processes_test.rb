# frozen_string_literal: true

require_relative "support/manual_session"

# Sessions and processes: forks inherit none, and sessions leave nothing behind.
class VmProcessesTest < Minitest::Test
  include ManualSession

  def work = Native.tick

  # What the child of a fork says.
  def in_child
    IO.pipe do |reader, writer|
      pid = fork do
        reader.close
        writer.write(Marshal.dump(yield))
      rescue Exception => error # rubocop:disable Lint/RescueException -- the parent must hear of it
        writer.write(Marshal.dump(error.full_message(highlight: false)))
      ensure
        writer.close
        exit!(0)
      end
      writer.close
      answer = reader.read
      Process.wait(pid)
      assert_predicate $?, :success?
      Marshal.load(answer)
    end
  end

  def test_a_child_has_no_session
    data = session do
      work
      assert_equal([false, nil, nil, {}], in_child { [Native.running?, work && nil, Native.stop, Native.labels] })
      work
    end
    assert_equal 2, assert_leaf(data, "VmProcessesTest#work").count
  end

  def test_a_child_may_have_its_own
    data = session do
      5.times { work }
      counts = in_child { Array.new(3) { |number| count(samples_at(session { (number + 1).times { work } }, "VmProcessesTest#work")) } }
      assert_equal [1, 2, 3], counts
    end
    assert_equal 5, assert_leaf(data, "VmProcessesTest#work").count
  end

  def test_a_fork_in_another_thread
    data = session { Thread.new { assert_equal(1, in_child { count(samples_at(session { work }, "VmProcessesTest#work")) }) }.join; work }
    assert_equal 1, assert_leaf(data, "VmProcessesTest#work").count
  end

  # Blocks of at_exit run backwards, the first ones last: then the VM frees the main thread's stack,
  # which the poller captures until the end.
  LATE_SESSION = <<~'RUBY'
    at_exit do
      Rperf.start(mode: :wall, frequency: 10_000)
      print "late"
      5_000.times { |number| number.to_s * 20 }
    end
    require "rperf"
    Rperf.start(mode: :wall) { print "early " }
  RUBY

  def test_a_session_that_lasts_until_the_stack_is_freed
    10.times do
      result = Subprocess.run(Paths::RUBY, "-I", Paths::LIB, "-e", LATE_SESSION)
      assert_equal ["early late", "", true], [result.stdout, result.stderr, result.success?], result.report
    end
  end

  # What a process has: descriptors, native threads, memory in KiB.
  def resources
    GC.start
    [Dir.children("/proc/self/fd").length, Dir.children("/proc/self/task").length, File.read("/proc/self/status")[/VmRSS:\s*(\d+)/, 1].to_i]
  end

  # KiB for 200 sessions with threads of their own; one session's buffers alone are 1 MiB.
  MEMORY_MAY_GROW = 32 << 10

  # With real timers too: their descriptors and threads must go with the session.
  def some_sessions(number)
    number.times do |index|
      session { work }
      Rperf.start(mode: index.odd? ? :cpu : :wall, signal: (false if index % 5 == 4)) { Thread.new { work }.join }
    end
  end

  def test_sessions_leave_nothing_behind
    some_sessions(20)
    descriptors, threads, memory = resources
    some_sessions(200)
    assert_equal [descriptors, threads], resources.first(2)
    assert_operator resources.last - memory, :<, MEMORY_MAY_GROW
  end
end
