# frozen_string_literal: true

require_relative "support/measured"

# In wall mode every thread's life is accounted: running, blocked, and waiting for the GVL.
class WaitingAccuracyTest < Minitest::Test
  include Measured

  # A thread's weights may miss so much of its life, or exceed it, as a part of it.
  LIFE_WITHIN = 0.05
  # So much of a sleep is shown as being blocked.
  SLEEP_AT_LEAST = 0.95

  def test_a_thread_that_sleeps
    found = measure(<<~'RUBY')
      def nap = sleep(0.3)
      data = Rperf.start(mode: :wall) { Thread.new { nap }.join }
      sample = data[:samples].find { |frames,| frames.first.label == "[GVL blocked]" && frames[2]&.label == "Object#nap" }
      puts JSON.generate(blocked: sample[1], frames: sample[0].first(3))
    RUBY
    assert_equal [["<GVL>", "[GVL blocked]"], ["<C method>", "Kernel#sleep"]], found[:frames].first(2)
    assert_operator found[:blocked], :>=, 300_000_000 * SLEEP_AT_LEAST
  end

  # Threads that want the GVL all the time have it in turns.
  CONTENDING = <<~'RUBY'
    def compute
      begun = wall
      finish = cpu + 0.25
      nil while cpu < finish
      wall - begun
    end
    threads = nil
    data = Rperf.start(mode: :wall) do
      threads = Array.new(4) { |number| Thread.new { Rperf.label(number: number.to_s); compute } }
      threads.each(&:join)
    end
    lives = threads.map(&:value)
    found = lives.each_index.map do |number|
      set = data[:label_sets].index({number: number.to_s})
      data[:samples].select { |sample| sample[3] == set }
    end
    weights = found.map { |samples| samples.sum { |sample| sample[1] } }
    waiting = found.map { |samples| samples.select { |frames,| frames.first.label == "[GVL wait]" } }
    puts JSON.generate(
      lives:, weights:, dropped: data[:dropped],
      waited: waiting.map { |samples| samples.sum { |sample| sample[1] } },
      stacks: waiting.flatten(1).map { |frames,| frames.map(&:label).include?("Object#compute") }
    )
  RUBY
  # Three of four wait at any time.
  WAITING_AT_LEAST = 0.6

  def test_threads_that_contend
    found = measure(CONTENDING)
    found[:lives].zip(found[:weights], found[:waited]) do |life, weight, waited|
      assert_in_delta life, weight, life * LIFE_WITHIN
      assert_operator waited, :>=, life * WAITING_AT_LEAST
    end
    assert_equal [true], found[:stacks].uniq, "the stack of the suspension"
  end

  # Threads that sleep, compute and wait for each other.
  def test_lives_of_all_kinds
    found = measure(<<~'RUBY')
      def one_life(queue)
        begun = wall
        queue.pop
        sleep(0.1)
        finish = cpu + 0.1
        nil while cpu < finish
        queue << true
        wall - begun
      end
      threads = nil
      data = Rperf.start(mode: :wall) do
        queue = Queue.new
        threads = Array.new(3) { |number| Thread.new { Rperf.label(number: number.to_s); one_life(queue) } }
        queue << true
        threads.each(&:join)
      end
      weights = threads.each_index.map do |number|
        set = data[:label_sets].index({number: number.to_s})
        data[:samples].sum { |sample| sample[3] == set ? sample[1] : 0 }
      end
      puts JSON.generate(lives: threads.map(&:value), weights:)
    RUBY
    found[:lives].zip(found[:weights]) { |life, weight| assert_in_delta life, weight, life * LIFE_WITHIN }
  end

  def test_cpu_mode_charges_no_sleep
    found = measure(<<~'RUBY')
      def nap = sleep(0.3)
      data = Rperf.start(mode: :cpu) { nap }
      puts JSON.generate(total: total(data))
    RUBY
    assert_operator found[:total], :<, 300_000_000 * LIFE_WITHIN
  end
end
