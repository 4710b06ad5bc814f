# frozen_string_literal: true

require_relative "support/manual_session"

# The labels that fibers have at the tick.
class VmFiberLabelsTest < Minitest::Test
  include ManualSession

  def work = Native.tick

  # Ticks at `work` by the label `step`; nil: without.
  def ticks(data)
    sets = data.fetch(:label_sets, [{}])
    samples_at(data, "#{self.class}#work").each_with_object(Hash.new(0)) do |sample, sums|
      sums[sets.fetch(sample[3])[:step]] += sample.count
    end
  end

  def step(name, &) = Rperf.label(step: name, &)

  # Resumes fibers in turn, each until it ends.
  def in_turn(fibers)
    fibers = fibers.each(&:resume).select(&:alive?) until fibers.empty?
  end

  def test_fibers_in_turn_each_in_its_own_label
    data = session do
      in_turn(Array.new(10) { |n| Fiber.new { step("f#{n}") { (n + 1).times { work; Fiber.yield } } } })
      work
    end
    assert_equal (0..9).to_h { |n| ["f#{n}", n + 1] }.merge(nil => 1), ticks(data)
  end

  # A tick meets all labels of a unit of work, or none.
  def test_a_unit_of_work_gets_its_labels_at_once
    before = nil
    tenant = Object.new
    tenant.define_singleton_method(:to_s) { before = Rperf.labels; "acme" }
    session { Rperf.work("import", tenant:) { assert_equal({job: "import", tenant: "acme"}, Rperf.labels) } }
    assert_equal({}, before)
  end

  def test_fibers_labelled_without_a_block
    data = session do
      in_turn(Array.new(3) { |n| Fiber.new { step("f#{n}"); 2.times { Fiber.yield; work } } })
      work
    end
    assert_equal({"f0" => 2, "f1" => 2, "f2" => 2, nil => 1}, ticks(data))
  end

  # Runs what is ready; nothing here waits for anything but its turn.
  class Turns
    def initialize = @ready = []
    def fiber(&) = Fiber.new(blocking: false, &).tap(&:resume)
    def kernel_sleep(_duration = nil) = @ready.push(Fiber.current) && Fiber.yield
    def block(*) = Fiber.yield
    def unblock(_blocker, fiber) = @ready << fiber
    def io_wait(_io, events, _timeout) = events
    def close = (@ready.shift.resume until @ready.empty?)
  end

  def test_fibers_of_a_scheduler
    data = session do
      Thread.new do
        Fiber.set_scheduler(Turns.new)
        10.times { |n| Fiber.schedule { step("f#{n}") { 5.times { work; sleep 0 } } } }
      end.join
    end
    # What the thread runs after its last tick is charged to that tick's stack and labels.
    assert_equal (0..9).to_h { |n| ["f#{n}", 5] }, ticks(data).except(nil)
  end

  def test_labels_of_an_enumerator_stay_inside
    data = session do
      inside = Enumerator.new { |yielder| step("inside") { loop { work; yielder << Rperf.labels } } }
      step("outside") do
        assert_equal [{step: "inside"}] * 2, [inside.next, inside.next]
        work
      end
      work
      inside.next
      assert_equal({}, Rperf.labels)
    end
    assert_equal({"inside" => 3, "outside" => 1, nil => 1}, ticks(data))
  end

  def test_an_enumerator_begins_with_the_labels_of_the_first_call
    data = session do
      values = Enumerator.new { |yielder| 2.times { work; yielder << Rperf.labels } }
      step("first") { assert_equal({step: "first"}, values.next) }
      step("second") { assert_equal({step: "first"}, values.next) }
    end
    assert_equal({"first" => 2}, ticks(data))
  end

  def test_a_fiber_begins_with_the_labels_of_its_creator
    data = session do
      fiber = step("created") { Fiber.new { 2.times { work; Fiber.yield } } }
      step("resumed") { fiber.resume; work }
      fiber.resume
      work
    end
    assert_equal({"created" => 2, "resumed" => 1, nil => 1}, ticks(data))
  end

  def test_a_fiber_that_is_to_have_no_storage_begins_without
    data = session { step("created") { Fiber.new(storage: nil) { work }.resume; work } }
    assert_equal({nil => 1, "created" => 1}, ticks(data))
  end

  def test_nested_fibers
    data = session do
      step("outer") do
        fiber = Fiber.new do
          inner = Fiber.new { step("inner") { work; Fiber.yield; work } }
          inner.resume
          work
          step("middle") { Fiber.yield; work; inner.resume; work }
          work
        end
        fiber.resume
        work
        fiber.resume
      end
      work
    end
    assert_equal({"inner" => 2, "outer" => 3, "middle" => 2, nil => 1}, ticks(data))
  end

  def test_a_fiber_that_others_are_transferred_to
    data = session do
      main = Fiber.current
      fiber = Fiber.new { step("other") { work; main.transfer; work; main.transfer } }
      fiber.transfer
      work
      fiber.transfer
      work
    end
    assert_equal({"other" => 2, nil => 2}, ticks(data))
  end

  def test_a_fiber_that_dies_in_a_block
    data = session do
      step("resumer") do
        assert_raises(KeyError) { Fiber.new { step("raises") { work; raise KeyError } }.resume }
        work
        catch(:out) { Fiber.new { step("throws") { work; throw :out } }.resume } rescue UncaughtThrowError
        work
        fiber = Fiber.new { step("killed") { work; Fiber.yield } }
        fiber.resume
        fiber.kill
        work
      end
      work
    end
    assert_equal({"raises" => 1, "throws" => 1, "killed" => 1, "resumer" => 3, nil => 1}, ticks(data))
  end

  def test_an_exception_that_comes_in_at_the_switch
    data = session do
      fiber = Fiber.new { step("fiber") { Fiber.yield rescue work; work } }
      fiber.resume
      step("resumer") { fiber.raise(KeyError); work }
    end
    assert_equal({"fiber" => 2, "resumer" => 1}, ticks(data))
  end

  # A thread that does nothing but set labels and switch fibers, until an interrupt ends it.
  def switching
    Thread.new do
      loop { step("thread") { Fiber.new { step("fiber") { Fiber.yield } }.tap(&:resume).resume } }
    rescue KeyError
      Rperf.labels
    end
  end

  def test_no_interrupt_is_lost
    session do
      40.times do |number|
        thread = switching
        sleep 0.0005
        number.even? ? thread.raise(KeyError) : thread.kill
        assert thread.join(10), "interrupt #{number} was lost"
        assert_equal({}, thread.value || {})
      ensure
        thread&.kill
      end
    end
  end

  def test_a_thread_begins_without
    data = session do
      step("main") do
        Thread.new { work; Fiber.new { work }.resume; step("thread") { Fiber.new { work }.resume }; work }.join
        work
      end
    end
    assert_equal({nil => 3, "thread" => 1, "main" => 1}, ticks(data))
  end

  def test_threads_keep_their_fibers_labels_while_others_run
    turn = Thread::Queue.new
    data = session do
      threads = Array.new(3) do |n|
        Thread.new do
          fiber = Fiber.new { step("f#{n}") { 3.times { turn.pop; work; Fiber.yield; work } } }
          fiber.resume while fiber.alive?
          work
        end
      end
      9.times { turn << true; Thread.pass }
      threads.each(&:join)
    end
    assert_equal({"f0" => 6, "f1" => 6, "f2" => 6, nil => 3}, ticks(data))
  end

  def test_fibers_of_before_the_first_label
    fiber = Fiber.new { 2.times { work; Fiber.yield } }
    data = session do
      fiber.resume
      step("main") { fiber.resume; work }
    end
    assert_equal({nil => 2, "main" => 1}, ticks(data))
  end

  def test_a_fiber_of_an_earlier_session_begins_anew
    fiber = Fiber.new { step("earlier") { 3.times { work; Fiber.yield } } }
    session { fiber.resume }
    created = nil
    session { step("earlier") { created = Fiber.new { work } } }
    data = session { step("now") { fiber.resume; created.resume; work } }
    assert_equal({nil => 2, "now" => 1}, ticks(data))
    data = session { fiber.resume }
    assert_equal({nil => 1}, ticks(data))
  end

  def test_a_block_left_on_another_fibers_turn_is_its_own_fibers
    data = session do
      fiber = Fiber.new { step("fiber") { Fiber.yield }; work }
      fiber.resume
      step("main") { fiber.resume; work }
      work
    end
    assert_equal({nil => 2, "main" => 1}, ticks(data))
  end

  # Tools that clean the variables of a server's threads between requests take ours away, too.
  def test_a_program_that_removes_all_fiber_locals
    data = session do
      step("outer") do
        Thread.current.keys.each { |key| Thread.current[key] = nil }
        step("inner") { Thread.current.keys.each { |key| Thread.current[key] = nil }; work }
        work
        Thread.current.keys.each { |key| Thread.current[key] = "ours no more" }
        work
      end
      work
    ensure
      Thread.current.keys.each { |key| Thread.current[key] = nil }
    end
    assert_equal({"inner" => 1, "outer" => 2, nil => 1}, ticks(data))
  end

  def test_a_cleared_snapshot_in_a_fiber_of_another_ractor
    in_ractor = <<~RUBY
      fiber = Fiber.new { Rperf.label(step: "fiber") { Fiber.yield Rperf.labels; Rperf.labels } }
      seen = [fiber.resume, Rperf.labels]
      Ractor.yield :ready
      Ractor.receive
      made = Rperf.label(step: "created") { Fiber.new { Rperf.labels } }
      seen + [fiber.resume, Rperf.labels, made.resume]
    RUBY
    printed = ruby(<<~RUBY)
      Rperf.start(mode: :wall)
      ractor = Ractor.new { #{in_ractor} }
      ractor.take
      2.times { Rperf.snapshot(clear: true) }
      ractor.send(:go)
      p ractor.take
    RUBY
    assert_equal '[{step: "fiber"}, {}, {step: "fiber"}, {}, {step: "created"}]', printed.chomp
  end

  # The Ractor's own hooks come to be the last that the VM has heard of.
  def test_the_collector_is_heard_after_a_label_in_another_ractor
    printed = ruby(<<~RUBY)
      Rperf.start(mode: :wall, frequency: 1)
      ractor = Ractor.new { Rperf.label(step: "x") { Ractor.yield :labelled; Ractor.receive } }
      ractor.take
      Rperf.snapshot(clear: true)
      GC.start
      states = Rperf.snapshot[:samples].map { |frames, *| frames.first.last }
      p states.include?("[GC marking]")
      ractor.send(:go)
    RUBY
    assert_equal "true", printed.chomp
  end

  def test_suspended_fibers_keep_their_sets_over_a_cleared_snapshot
    data = session do
      step("creator")
      holding = Fiber.new { step("block") { step("nested") { Fiber.yield; work }; work }; work }
      holding.resume
      staying = Fiber.new { step("staying"); Fiber.yield; work }
      staying.resume
      step(nil)
      2.times { Native.snapshot(true) }
      holding.resume
      staying.resume
    end
    assert_equal({"nested" => 1, "block" => 1, "creator" => 1, "staying" => 1}, ticks(data))
  end

  def test_what_abandoned_fibers_had_is_freed
    sets = session do
      200.times { |n| Fiber.new { step("a#{n}") { step("b#{n}") { Fiber.yield } } }.resume }
      assert_operator snapshot(true).fetch(:label_sets).length, :>, 400
      GC.start
      snapshot(true)
    end.fetch(:label_sets, [])
    assert_operator sets.length, :<, 100
  end

  def test_ten_thousand_fibers
    data = session do
      10_000.times { |n| Fiber.new { step("f#{n % 7}") { Fiber.new { Rperf.labels }.resume } }.resume }
      GC.start
      assert_operator ObjectSpace.each_object(Native::FiberLabels).count, :<, 2_000
      work
    end
    assert_equal({nil => 1}, ticks(data))
    assert_equal 8, data[:label_sets].length
  end
end
