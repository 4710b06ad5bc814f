# frozen_string_literal: true

require_relative "support/measured"

# In wall mode every thread's life is accounted: running, blocked, and waiting for the GVL.
class WaitingAccuracyTest < Minitest::Test
  include Measured

  # A thread's weights may miss so much of its life, as a part of it. (They are never more.)
  MISSED_AT_MOST = 0.05
  # So much of a sleep by the clock is shown as being blocked; the rest of it is on the way there
  # and back.
  SLEEP_AT_LEAST = 0.7

  def test_a_thread_that_sleeps
    found = measure(<<~'RUBY')
      def nap = sleep(0.3)
      spent = nil
      data = Rperf.start(mode: :wall) { spent = Thread.new { Burning.spent(Burning::WALL) { nap } }.value }
      sample = data[:samples].find { |frames,| frames.first.label == "[GVL blocked]" && frames[2]&.label == "Object#nap" }
      puts JSON.generate(slept: spent.ns, blocked: sample[1], frames: sample[0].first(3))
    RUBY
    assert_equal [["<GVL>", "[GVL blocked]"], ["<C method>", "Kernel#sleep"]], found[:frames].first(2)
    assert_includes (found[:slept] * SLEEP_AT_LEAST)..found[:slept], found[:blocked]
  end

  # For the programs: threads with a label each, what they saw of their lives, and what the profile
  # says of them.
  LIVES = <<~'RUBY'
    # Starts a thread that does the block. Its value: [how long it took, the block's value].
    def live(number)
      Thread.new do
        begun = wall
        Rperf.label(number: number.to_s)
        value = yield
        [wall - begun, value]
      end
    end

    # The samples of each of the threads, by its label: those of before it had one, too.
    def samples_of(data, threads)
      threads.each_index.map do |number|
        set = data[:label_sets].index({number: number.to_s})
        thread = data[:samples].find { |sample| sample[3] == set }[2]
        data[:samples].select { |sample| sample[2] == thread }
      end
    end
  RUBY

  # A thread's weights are its life: at least what it saw of it itself, and at most from before it
  # was to when it was gone.
  def assert_lives(found)
    found[:lives].zip(found[:weights]) { |life, weight| assert_includes (life * (1 - MISSED_AT_MOST))..found[:session], weight, found }
  end

  # Threads that want the GVL all the time have it in turns.
  CONTENDING = LIVES + <<~'RUBY'
    def compute = Burning.burn(0.25).ns
    threads = session = nil
    data = Rperf.start(mode: :wall) do
      begun = wall
      threads = Array.new(4) { |number| live(number) { compute } }
      threads.each(&:join)
      session = wall - begun
    end
    found = samples_of(data, threads)
    waits = found.map { |samples| samples.select { |frames,| frames.first.label == "[GVL wait]" } }
    computing = waits.map { |samples| having(samples, "Object#compute") }
    puts JSON.generate(
      session:, lives: threads.map { |thread| thread.value[0] }, used: threads.map { |thread| thread.value[1] },
      weights: found.map { |samples| weight(samples) }, waited: waits.map { |samples| weight(samples) },
      suspended: computing.map { |samples| weight(samples) }, dropped: data[:dropped]
    )
  RUBY
  # What a sum of times may be off by, as a part of the session.
  WITHIN = 0.05
  # So much of the waiting, as a part of it, has the stack of the suspension: the rest is that of a
  # thread's first turn.
  SUSPENDED_AT_LEAST = 0.5

  # One of them runs at any time, and none waits while it uses the processor: so much must they have
  # waited, and no more.
  def test_threads_that_contend
    found = measure(CONTENDING)
    assert_lives found
    slack = found[:session] * WITHIN
    assert_operator found[:waited].sum, :>=, found[:weights].sum - found[:session] - slack, found
    found[:weights].zip(found[:used], found[:waited]) { |weight, used, waited| assert_operator waited, :<=, weight - used + slack, found }
    assert_operator found[:suspended].sum, :>=, found[:waited].sum * SUSPENDED_AT_LEAST, found
  end

  # Threads that sleep, compute and wait for each other.
  def test_lives_of_all_kinds
    found = measure(LIVES + <<~'RUBY')
      def one_life(queue)
        queue.pop
        sleep(0.1)
        Burning.burn(0.1)
        queue << true
      end
      threads = session = nil
      data = Rperf.start(mode: :wall) do
        begun = wall
        queue = Queue.new
        threads = Array.new(3) { |number| live(number) { one_life(queue) } }
        queue << true
        threads.each(&:join)
        session = wall - begun
      end
      weights = samples_of(data, threads).map { |samples| weight(samples) }
      puts JSON.generate(session:, lives: threads.map { |thread| thread.value[0] }, weights:)
    RUBY
    assert_lives found
  end

  # So much of a sleep, as a part of it, may be charged in cpu mode: starting and stopping take some
  # time on the processor.
  CHARGED_AT_MOST = 0.25

  def test_cpu_mode_charges_no_sleep
    found = measure(<<~'RUBY')
      def nap = sleep(0.3)
      spent = nil
      data = Rperf.start(mode: :cpu) { spent = Burning.spent(Burning::WALL) { nap } }
      puts JSON.generate(slept: spent.ns, total: total(data))
    RUBY
    assert_operator found[:total], :<, found[:slept] * CHARGED_AT_MOST
  end
end
