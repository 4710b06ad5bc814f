# frozen_string_literal: true

require_relative "support/manual_session"

# Suspensions, in wall mode: each is charged to the stack that gave up the GVL, however often a thread does that.
class SuspensionsTest < Minitest::Test
  include ManualSession

  # A thread that waits at two places as it is told to.
  class Waiter
    def initialize
      @tasks = {here: Queue.new, there: Queue.new}
      @commands = Queue.new
      @thread = Thread.new { run }
    end

    # Has it wait once at each of these places; `between` runs while it does.
    def wait_at(*places)
      places.each do |place|
        @commands << place
        waits_at(@tasks.fetch(place))
        yield if block_given?
        @tasks.fetch(place) << true
        waits_at(@commands)
      end
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
        send(place)
      end
    end

    def here = @tasks[:here].pop

    def there = @tasks[:there].pop
  end

  # How often the waiter was blocked in each of the methods.
  def blocked(data, **labels)
    set = data.fetch(:label_sets, [{}]).index(labels)
    samples = samples_at(data, "[GVL blocked]", "Thread::Queue#pop").select { |sample| sample[3] == set }
    %w[here there].to_h { |name| [name.to_sym, count(samples.select { |sample| labels(sample)[2] == "SuspensionsTest::Waiter##{name}" })] }
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
    data = waiting { |waiter| waiter.wait_at(:here) { snapshots << Native.snapshot(true) } }
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
        queue << true
        turns.pop
      end
      thread.join
    end
    found = samples_at(data, "[GVL blocked]", "Thread::Queue#pop").group_by { |sample| data[:label_sets][sample[3]][:step] }
    assert_equal({"a" => 2, "b" => 1}, found.slice("a", "b").transform_values { |samples| count(samples) })
  end
end
