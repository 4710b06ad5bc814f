# frozen_string_literal: true

require_relative "support/manual_session"

# Suspensions, in wall mode: long ones are charged to the stack that gave up the GVL, short ones to
# each such stack by its share.
class SuspensionsTest < Minitest::Test
  include ManualSession

  # Suspensions of at least 0.3 ms are charged to their own stacks (`ShortTimes::longest`).
  module Waits
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

    def wait_long
      started = now
      Thread.pass until now - started > 500_000
    end
  end
  include Waits

  # A thread that waits at two places as it is told to.
  class Waiter
    include Waits

    # How long it waited at each place, by its own clock, in nanoseconds.
    attr_reader :waited

    def initialize
      @tasks = {here: Queue.new, there: Queue.new}
      @commands = Queue.new
      @waited = {here: 0, there: 0}
      @thread = Thread.new { run }
    end

    # Has it wait once at each of these places, long enough to be charged for that; the block runs
    # while it does.
    def wait_at(*places)
      places.each do |place|
        @commands << place
        waits_at(@tasks.fetch(place))
        yield if block_given?
        wait_long
        @tasks.fetch(place) << true
        waits_at(@commands)
      end
    end

    # The same as often as possible, and no longer than it takes.
    def wait_shortly_at(*places)
      places.each { |place| @commands << place }
      places.each { |place| @tasks.fetch(place) << true; Thread.pass }
      waits_at(@commands)
    end

    def finish
      @commands.close
      @thread.join
    end

    private

    def waits_at(queue)
      Thread.pass until queue.num_waiting == 1
    end

    def run
      while (place = @commands.pop)
        started = now
        send(place)
        @waited[place] += now - started
      end
    end

    def here = @tasks[:here].pop

    def there = @tasks[:there].pop
  end

  # How often the waiter was blocked in each of the methods.
  def blocked(data)
    places(data, "[GVL blocked]").transform_values { |samples| count(samples) }
  end

  # How long it was off the GVL in each, in nanoseconds.
  def off_gvl(data)
    by_state = ["[GVL blocked]", "[GVL wait]"].map { |state| places(data, state).transform_values { |samples| samples.sum { |sample| sample[1] } } }
    by_state.reduce { |one, other| one.merge(other) { |_place, *times| times.sum } }
  end

  # The samples of the waiter in this state, by method.
  def places(data, state)
    samples = samples_at(data, state, "Thread::Queue#pop")
    %i[here there].to_h { |name| [name, samples.select { |sample| labels(sample)[2] == "SuspensionsTest::Waiter##{name}" }] }
  end

  # A session with a waiter that is there before, and has not waited anywhere.
  def waiting(**options)
    waiter = Waiter.new
    session(mode: :wall, **options) do
      yield waiter
      waiter.finish
    end
  end

  def test_many_from_one_place
    data = waiting { |waiter| waiter.wait_at(*[:here] * 50) }
    assert_equal({here: 50, there: 0}, blocked(data))
  end

  def test_places_in_turn
    data = waiting { |waiter| waiter.wait_at(*[:here, :there, :there] * 10) }
    assert_equal({here: 10, there: 20}, blocked(data))
  end

  # Of short ones some are met, one for each 0.2 ms: of 40 ms or more here, 200, give or take 14.
  # Allowed are 25 %.
  def test_short_ones_by_their_share
    waiter = nil
    data = waiting { |one| (waiter = one).wait_shortly_at(*[:here, :there, :there] * 20_000) }
    true_share, found_share = [waiter.waited, off_gvl(data)].map { |times| times[:here].fdiv(times.values.sum) }
    assert_in_delta true_share, found_share, true_share / 4
  end

  def test_collections_between
    data = waiting { |waiter| waiter.wait_at(*[:here, :there] * 5) { GC.start } }
    assert_equal({here: 5, there: 5}, blocked(data))
  end

  def test_samples_in_their_order
    data = waiting(aggregate: false) { |waiter| waiter.wait_at(*[:here, :there] * 5) }
    assert_equal({here: 5, there: 5}, blocked(data))
  end

  # A snapshot charges the suspension that goes on, and the rest of it is charged later.
  def test_a_snapshot_while_it_waits
    snapshots = []
    data = waiting do |waiter|
      waiter.wait_at(:here) do
        wait_long
        snapshots << snapshot(true)
      end
    end
    assert_equal [1], snapshots.map { |snapshot| blocked(snapshot)[:here] }
    assert_equal 1, blocked(data)[:here]
  end

  def test_labels_of_the_suspension
    queue = Queue.new
    turns = Queue.new
    data = session(mode: :wall) do
      thread = Thread.new { %w[a b a].each { |name| Native.set_labels(step: name); queue.pop; turns << true } }
      3.times do
        Thread.pass until queue.num_waiting == 1
        wait_long
        queue << true
        turns.pop
      end
      thread.join
    end
    found = samples_at(data, "[GVL blocked]", "Thread::Queue#pop").group_by { |sample| data[:label_sets][sample[3]][:step] }
    assert_equal({"a" => 2, "b" => 1}, found.slice("a", "b").transform_values { |samples| count(samples) })
  end
end
