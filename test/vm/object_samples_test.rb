# frozen_string_literal: true

require "json"
require_relative "support/manual_session"

# Which objects a session sees, and what it says of them.
class ObjectSamplesTest < Minitest::Test
  include ManualSession

  # Allocates objects of its own, each class so often.
  class Workshop
    Screw = Class.new
    Nut = Struct.new(:size)

    def make(count)
      count.times do
        screw
        nut
        text
      end
    end

    def screw = Screw.new
    def nut = Nut.new(8)
    def text = String.new
  end

  # Bytes that an object may have in the heap. A Ruby that checks itself keeps some of each slot.
  SLOTS = (0...GC::INTERNAL_CONSTANTS[:HEAP_COUNT]).map { |heap| GC.stat_heap(heap, :slot_size) - GC::INTERNAL_CONSTANTS[:RVALUE_OVERHEAD] }.freeze

  # Whether the sessions watch directly; else by the VM's event.
  def direct? = false

  # The data of a session in which the block ran, and how many objects the VM says it allocated.
  def allocations(interval: 1, seed: nil, **options)
    Rperf::LayoutProof.ensure
    before = GC.stat(:total_allocated_objects)
    Native.start(**OPTIONS, mode: :alloc, frequency: 0, interval:, seed:, direct: direct?, **options)
    yield
    data = stop
    [data, GC.stat(:total_allocated_objects) - before]
  end

  # Objects by class, or type, and innermost method.
  def objects(data, interval = 1)
    data[:samples].each_with_object(Hash.new(0)) do |sample, sums|
      labels = data[:label_sets].fetch(sample[3])
      sums[[labels[:class] || labels[:type], sample[0].first.label]] += sample.count * interval
    end
  end

  def lost(data) = data[:dropped].sum { |_cause, drop| drop[:samples] }

  def test_with_an_interval_of_1_each_object_is_seen
    data, = allocations { Workshop.new.make(100) }
    seen = objects(data)
    assert_equal 100, seen.fetch(["ObjectSamplesTest::Workshop::Screw", "Class#new"])
    assert_equal 100, seen.fetch(["ObjectSamplesTest::Workshop::Nut", "ObjectSamplesTest::Workshop::Nut.new"])
    assert_equal 100, seen.fetch(["String", "String.new"])
  end

  SCENES = {
    "strings" => 'a = "x"; 1000.times { a * 3; "#{a}y"; a.to_sym; a.dup }',
    "50 threads" => "50.times.map { Thread.new { [Object.new, {}] } }.each(&:join)",
    "200 fibers" => "200.times { Fiber.new { [Object.new, Fiber.yield] }.resume }",
    "100 classes" => "100.times { Class.new { def a = [] }.new.a }",
    "evaluated code" => 'eval("[1.5 ** 80, 2 ** 80, Struct.new(:a).new(1), /a/.match(\'a\')]")',
    "500 exceptions" => "500.times { begin; raise ArgumentError, 'a'; rescue ArgumentError => e; e.backtrace; end }",
    "procs and matches" => '100.times { |n| proc { n }.call; "abc" =~ /b/; $~.pre_match; method(:puts).to_proc }',
    "a required library" => 'require "ostruct"; OpenStruct.new(a: 1).a',
    "collections under stress" => "GC.stress = true; 20.times { [Object.new] }; GC.stress = false"
  }.freeze

  # What is seen and what is counted as lost is what the VM has counted.
  def test_nothing_is_missed
    [[], ["--yjit"]].each do |flags|
      SCENES.each do |name, scene|
        seen, allocated = JSON.parse(ruby(<<~RUBY, *flags))
          require "json"
          Rperf::LayoutProof.ensure
          run = -> { #{scene} }
          session = lambda do
            Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: #{direct?})
            before = GC.stat(:total_allocated_objects)
            run.call
            middle = GC.stat(:total_allocated_objects)
            [Rperf::Native.stop.to_h, middle - before]
          end
          data, allocated = session.call
          print(JSON.generate([[data[:samples].sum(&:count), data[:dropped].transform_values { _1[:samples] }], allocated]))
        RUBY
        sum = seen.first + seen.last.values.sum
        # The session's own beginning and end make some more.
        assert_includes allocated..(allocated + 50), sum, "#{name} #{flags} #{seen}"
        refute seen.last.key?("not seen"), "#{name} #{flags} #{seen}"
      end
    end
  end

  INTERVAL = 500
  SEEDS = 200
  ROUNDS = 10_000

  # 200 sessions, each with other random numbers: their mean is the truth, and they lie as far apart
  # as chance has it.
  def test_by_chance_is_without_bias_and_with_the_spread_of_chance
    workshop = Workshop.new
    workshop.make(1) # Caches are filled.
    estimates = Array.new(SEEDS) do |seed|
      data, = allocations(interval: INTERVAL, seed: seed + 1) { workshop.make(ROUNDS) }
      objects(data, INTERVAL).values_at(["ObjectSamplesTest::Workshop::Screw", "Class#new"], ["String", "String.new"])
    end
    deviation = Math.sqrt(ROUNDS * (INTERVAL - 1))
    estimates.transpose.each do |counts|
      mean = counts.sum(0.0) / SEEDS
      assert_in_delta ROUNDS, mean, 3 * deviation / Math.sqrt(SEEDS)
      spread = Math.sqrt(counts.sum { |count| (count - mean)**2 } / (SEEDS - 1))
      assert_in_delta 1.0, spread / deviation, 0.2
    end
  end

  # A loop of four objects: each 500th would always be of one class.
  def test_a_loop_in_step_with_the_interval
    [500, 250, 100, 4].each do |interval|
      data, = allocations(interval:, seed: 42) { 100_000.times { Object.new; one = []; other = []; one.equal?(other) || String.new } }
      seen = objects(data, interval)
      counts = [seen[["Object", "Class#new"]], seen[["Array", "ObjectSamplesTest##{__method__}"]] / 2, seen[["String", "String.new"]]]
      assert_operator counts.min, :>, 0, seen
      # Four standard deviations.
      counts.each { |count| assert_in_delta 100_000, count, 4 * Math.sqrt(100_000 * interval) }
    end
  end

  # YJIT from the first line on, from the middle on, and never.
  VMS = {[] => "", ["--yjit", "--yjit-call-threshold=1"] => "", ["--yjit-disable", "--yjit-call-threshold=2"] => "RubyVM::YJIT.enable"}.freeze

  def test_each_line_has_its_objects
    VMS.each do |flags, half_way|
      lines = JSON.parse(ruby(<<~RUBY, *flags))
        require "json"
        def make
          Object.new
          pair = [1, self]
          pair.first
          "a".dup
        end
        100.times { make }
        Rperf::LayoutProof.ensure
        Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: #{direct?})
        50.times { make }
        #{half_way}
        50.times { make }
        Thread.new { 30.times { make }; Fiber.new { 10.times { make } }.resume }.join
        data = Rperf::Native.stop.to_h
        lines = data[:samples].flat_map { |sample|
          at = sample[0].index { |frame| frame.label == "Object#make" }
          at ? sample.lines.map { |lines, _weight, count| [[lines[at], sample[2]], count] } : []
        }
        print(JSON.generate(lines.group_by(&:first).map { |key, rows| [key, rows.sum(&:last)] }))
      RUBY
      # A literal that is copied is two objects where the copy is made by a method.
      expected = {3 => [40, 100], 4 => [40, 100], 6 => [80, 200]}
      assert_equal(expected, lines.group_by { |(line, _thread), _count| line }.transform_values { |rows| rows.map(&:last).sort }, flags.inspect)
    end
  end

  def test_labels_and_threads
    data, = allocations do
      Rperf.label(endpoint: "GET /") { Object.new }
      Thread.new { Rperf.label(endpoint: "GET /b") { 3.times { Object.new } } }.join
    end
    objects = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == "Object" }
    seen = objects.to_h { |sample| [data[:label_sets].fetch(sample[3])[:endpoint], [sample.count, sample[2]]] }
    assert_equal({"GET /" => 1, "GET /b" => 3}, seen.transform_values(&:first))
    refute_equal(*seen.values.map(&:last))
  end

  def test_internal_and_nameless_and_single_objects
    data, = allocations do
      Class.new.new
      object = Object.new
      def object.a = 1
      proc { object }
      (1 << 70) + 1
    end
    names = objects(data).keys.map(&:first)
    assert_includes names, "#<Class>"
    assert_includes names, "imemo_ment"
    assert_includes names, "Integer"
    assert_includes names, "Class"
    assert_empty names.compact.grep(/0x/)
    slots = data[:samples].map { |sample| data[:label_sets].fetch(sample[3])[:slot] }
    assert_empty slots.uniq - SLOTS
  end

  def test_a_period_begins_with_a_snapshot_that_clears
    allocations do
      3.times { Workshop.new }
      assert_equal 3, objects(snapshot(true))[["ObjectSamplesTest::Workshop", "Class#new"]]
      2.times { Workshop.new }
      assert_equal 2, objects(snapshot(false))[["ObjectSamplesTest::Workshop", "Class#new"]]
      assert_equal 2, objects(snapshot(true))[["ObjectSamplesTest::Workshop", "Class#new"]]
      assert_equal 0, objects(snapshot(true))[["ObjectSamplesTest::Workshop", "Class#new"]]
    end
  end

  # What a snapshot itself makes, its data Hash say, is not the program's.
  def test_a_snapshot_is_not_in_the_next_one
    Rperf.start(mode: :alloc, interval: 1)
    20.times { |number| Rperf.label(number:) { Workshop.new } }
    Rperf.snapshot(clear: true)
    data = Rperf.snapshot(clear: true)
    assert_empty objects(data).keys.map(&:first) & %w[Rperf::Frame Rperf::Sample Rperf::DataHash]
    assert_operator objects(data).values.sum, :<=, 10, objects(data)
    assert_operator data[:trigger_count], :>, 100
    Workshop.new
    assert_equal 1, objects(Rperf.snapshot)[["ObjectSamplesTest::Workshop", "Class#new"]]
  end

  # The labels of a new fiber are an object of rperf's, made before the fiber has a frame.
  def test_fibers_in_labels
    data, = allocations { Rperf.label(a: 1) { 100.times { Fiber.new { Workshop.new }.resume } } }
    assert_equal 100, objects(data)[["ObjectSamplesTest::Workshop", "Class#new"]]
    assert_empty data[:dropped]
  end

  # The collector counts what it moves.
  def test_compaction_allocates_nothing
    data, = allocations do
      kept = Array.new(20_000) { |number| Workshop.new if number.odd? }
      GC.compact
      kept
    end
    assert_empty data[:dropped]
  end

  def test_blocks_of_rperf_profile_alone
    data, = allocations(defer: true) do
      2.times { Workshop.new }
      Rperf.profile { Workshop.new }
      2.times { Workshop.new }
    end
    assert_equal 1, objects(data)[["ObjectSamplesTest::Workshop", "Class#new"]]
    assert_empty data[:dropped]
  end

  def test_raw_samples_are_kept_one_by_one
    data, = allocations(aggregate: false) { 3.times { Workshop.new } }
    workshops = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == "ObjectSamplesTest::Workshop" }
    assert_equal [40] * 3, workshops.map { |sample| sample[1] }
  end

  # The event ends when another Ractor begins: the difference is told.
  def test_objects_that_are_not_seen_are_counted
    counts = JSON.parse(ruby(<<~RUBY))
      require "json"
      Rperf::LayoutProof.ensure
      Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: #{direct?})
      seen = -> { data = Rperf::Native.snapshot(true).to_h; [data[:samples].sum(&:count), data[:dropped].dig("not seen", :samples).to_i] }
      1000.times { Object.new }
      first = seen.call
      Ractor.new { 1 }.take
      1000.times { Object.new }
      second = seen.call
      1000.times { Object.new }
      print(JSON.generate([first, second, seen.call]))
    RUBY
    first, second, third = counts
    assert_operator first.first, :>=, 1000
    assert_operator second.last, :>=, 1000, counts
    assert_operator third.last, :>=, 1000, counts
  end

  def test_a_child_of_a_fork_has_no_session_and_may_have_its_own
    allocations do
      reader, writer = IO.pipe
      pid = fork do
        running = Native.running?
        10.times { Workshop.new }
        data, = allocations { 4.times { Workshop.new } }
        writer.write([running, objects(data)[["ObjectSamplesTest::Workshop", "Class#new"]]].inspect)
        exit!
      end
      writer.close
      assert_equal "[false, 4]", reader.read
      Process.wait(pid)
      assert_predicate Native, :running?
    end
  end

  def test_200_sessions
    200.times { |seed| allocations(interval: 7, seed: seed + 1) { 20.times { Workshop.new } } }
    GC.start
    refute_predicate Native, :running?
  end
end

# The same of the direct watch, and what it does besides.
class DirectObjectSamplesTest < ObjectSamplesTest
  def direct? = true

  # Another Ractor's TracePoint ends the VM's event for all. Here nothing is missed, also nothing of
  # the other Ractor.
  def test_objects_that_are_not_seen_are_counted
    counts = JSON.parse(ruby(<<~RUBY))
      require "json"
      Rperf::LayoutProof.ensure
      Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: true)
      seen = -> { data = Rperf::Native.snapshot(true).to_h; [data[:samples].sum(&:count), data[:dropped].dig("not seen", :samples).to_i] }
      1000.times { Object.new }
      first = seen.call
      Ractor.new { TracePoint.new(:line) {}.enable { 1000.times { Object.new } } }.take
      1000.times { Object.new }
      print(JSON.generate([first, seen.call]))
    RUBY
    first, second = counts
    assert_operator first.first, :>=, 1000
    assert_operator second.first, :>=, 2000
    assert_equal [0, 0], [first.last, second.last]
  end

  # What calls the VM's function by another way than a slot is missed, and said. Where that is much,
  # the event goes on.
  def test_a_watch_that_misses_objects_gives_way_to_the_event
    periods = JSON.parse(ruby(<<~RUBY))
      require "fiddle"
      require "json"
      wrap = Fiddle::Function.new(Fiddle::Handle::DEFAULT["rb_data_object_wrap"], [Fiddle::TYPE_VOIDP] * 4, Fiddle::TYPE_VOIDP,
                                  need_gvl: true)
      hidden = ->(count) { count.times { wrap.call(0, 0, 0, 0) } }
      Rperf::LayoutProof.ensure
      Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: true)
      period = -> { data = Rperf::Native.snapshot(true).to_h; [data[:engine], data[:dropped].dig("not seen", :samples).to_i] }
      100_000.times { Object.new }
      hidden.call(10)
      few = period.call
      hidden.call(1000)
      many = period.call
      hidden.call(1000)
      print(JSON.generate([few, many, period.call]))
    RUBY
    assert_equal [["direct", 10], ["direct", 1000], ["event", 0]], periods
  end

  def test_the_slots_are_as_before
    before = Native.allocation_slots
    inside = nil
    allocations { inside = Native.allocation_slots }
    refute_equal before, inside
    assert_equal before, Native.allocation_slots
  end

  # The parent's slots are the child's: they count into nothing, and its own session puts back what
  # was there.
  def test_a_child_of_a_fork_puts_the_slots_back
    before = Native.allocation_slots
    allocations do
      reader, writer = IO.pipe
      pid = fork do
        inherited = Native.allocation_slots == before
        allocations { Workshop.new }
        writer.write([inherited, Native.allocation_slots == before].inspect)
        exit!
      end
      writer.close
      assert_equal "[false, true]", reader.read
      Process.wait(pid)
    end
    assert_equal before, Native.allocation_slots
  end
end
