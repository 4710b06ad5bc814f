# frozen_string_literal: true

require "objspace"
require "tmpdir"
require_relative "support/extension"
require_relative "support/manual_session"

# Which objects a heap profile says are alive, and how large they are, at an interval of 1: it must
# be what the VM says.
class LiveObjectsTest < Minitest::Test
  include ManualSession

  # Whether objects are watched directly; else by the VM's event.
  def direct? = false

  # What the scenes are made of: `Leaf` are the objects that the profile must know.
  PROGRAM = <<~'RUBY'
    class Leaf; def initialize(number) = @number = number; end
    KEPT = []
    # Every third object is kept, and every seventh time one is given up.
    def churn(count)
      count.times do |number|
        leaf = Leaf.new(number)
        KEPT << leaf if number % 3 == 0
        KEPT.shift if number % 7 == 0
      end
    end
    Rperf::LayoutProof.ensure

    def heap(**options)
      Rperf::Native.start(mode: :heap, frequency: 0, interval: 1, signal: nil, aggregate: true, objects: 1_000_000, min_age: 1,
                          direct: DIRECT, **options)
    end

    # [allocated, bytes allocated, in use, bytes in use] of a class.
    def values(data, name = "Leaf")
      rows = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == name }
      rows.map(&:values).transpose.map(&:sum)
    end
  RUBY

  # What a program with a session says.
  def told(code, *flags) = Marshal.load(ruby("DIRECT = #{direct?}\n#{PROGRAM}\ntold = begin\n#{code}\nend\nputs [Marshal.dump(told)].pack('m0')", *flags).unpack1("m"))

  # Allocated and in use as the profile has them, and what is alive.
  COMPARED = <<~'RUBY'
    data = Rperf::Native.stop.to_h
    [values(data).values_at(0, 2), ObjectSpace.each_object(Leaf).count, data[:comments], data[:dropped].keys]
  RUBY

  SCENES = {
    "a churn" => "churn(100_000)",
    "a compaction now and then" => "4.times { churn(10_000); GC.compact }",
    "auto_compact" => "GC.auto_compact = true; 4.times { churn(10_000); GC.start }",
    "references that are checked after moves" => "2.times { churn(3000); GC.verify_compaction_references(expand_heap: false, toward: :empty) }",
    "stress" => "GC.stress = true; churn(150); GC.stress = false",
    "a collector that is off" => "GC.disable; churn(30_000); GC.enable",
    "incremental marking" => "10.times { churn(10_000); Array.new(1000) { +'y' * 5000 } }",
    "threads" => "10.times.map { Thread.new { churn(3000) } }.each(&:join)",
    "fibers that are given up" => "100.times.map { Fiber.new { churn(50); Fiber.yield; churn(50) } }.each(&:resume).first(50).each(&:resume)",
    "another tool's hook" => "require 'objspace'; ObjectSpace.trace_object_allocations { churn(10_000) }",
    "finalizers and weak references" => <<~RUBY,
      map = ObjectSpace::WeakMap.new
      5000.times do |number|
        map[leaf = Leaf.new(number)] = Leaf.new(0)
        KEPT << leaf if number % 3 == 0
        ObjectSpace.define_finalizer(leaf, proc {}) if number % 10 == 0
      end
    RUBY
    "finalizers that keep others, and what waits to be swept" => <<~RUBY,
      SUCCESSOR = proc { |id| KEPT << Leaf.new(id) }
      5.times do
        500.times { |number| ObjectSpace.define_finalizer(Leaf.new(number), SUCCESSOR) }
        GC.start(immediate_sweep: false)
        # Whatever the VM hands out of what nothing refers to lives on.
        ObjectSpace.each_object(Leaf) { |leaf| KEPT << leaf unless KEPT.include?(leaf) }
        churn(500)
      end
    RUBY
    "classes by the thousand" => <<~RUBY,
      1000.times do |number|
        leaf = Class.new { def make(number) = Leaf.new(number) }.new.make(number)
        KEPT << leaf if number.odd?
        def leaf.alone = self
      end
    RUBY
    "forks in between" => <<~RUBY
      beside = Thread.new { churn(20_000) }
      10.times { Process.wait(fork { churn(100); GC.start; exit! }) }
      beside.join
    RUBY
  }.freeze

  def test_what_is_in_use_is_what_is_alive
    [[], ["--yjit"]].each do |flags|
      SCENES.each do |name, scene|
        (allocated, in_use), alive, _comments, dropped = told("heap; #{scene}; GC.start; #{COMPARED}", *flags)
        assert_equal alive, in_use, "#{name} #{flags}"
        assert_operator allocated, :>, in_use, "#{name} #{flags}"
        assert_empty dropped - ["no frames"], "#{name} #{flags}"
      end
    end
  end

  # The marks and the event of the sweep are two witnesses of each death.
  def test_marks_and_freeobj_tell_the_same_deaths
    Dir.mktmpdir do |directory|
      extension = Extension.build("freed_objects", directory)
      told(<<~RUBY).each { |name, (freed, died)| assert_equal freed, died, name }
        require #{extension.inspect}
        FreedObjects.watch(Leaf)
        heap
        {"churn" => -> { churn(50_000) }, "compaction" => -> { churn(5000); GC.compact },
         "giving up" => -> { KEPT.shift(5000) }, "threads" => -> { 5.times.map { Thread.new { churn(2000) } }.each(&:join) }}.to_h do |name, scene|
          scene.call
          GC.start # It sweeps all.
          freed = FreedObjects.count
          allocated, _, in_use, = values(Rperf::Native.snapshot(false).to_h)
          [name, [freed, allocated - in_use]]
        end
      RUBY
    end
  end

  BYTES = <<~'RUBY'
    require "objspace"
    Record = Struct.new(:a, :b, :c, :d, :e, :f, :g, :h, :i, :j)
    Wide = Class.new { def initialize = 30.times { |number| instance_variable_set("@v#{number}", number) } }
    Grown, List, Table, Text = Class.new(String), Class.new(Array), Class.new(Hash), Class.new(String)
    kept = Hash.new { |hash, name| hash[name] = [] }
    bases = Array.new(1000) { |number| 1 << (100 + number) }
    heap
    1000.times do |number|
      kept["Text"] << Text.new.replace("x" * (number * 7 % 200))
      kept["Grown"] << Grown.new.tap { |text| 20.times { text << "abcdefgh" * 40 } }
      kept["List"] << List.new.tap { |list| (number % 300).times { |item| list << item } }
      kept["Table"] << Table.new.tap { |table| (number % 100).times { |item| table[item] = item } }
      kept["Record"] << Record.new(1, 2, 3)
      kept["Wide"] << Wide.new
      kept["Integer"] << bases[number] + 1
      kept["Thread::Queue"] << Thread::Queue.new
    end
    real = kept.to_h { |name, objects| [name, objects.sum { |object| ObjectSpace.memsize_of(object) }] }
    data = Rperf::Native.stop.to_h
    kept.to_h { |name, _| [name, [real[name], values(data, name)]] }
  RUBY

  def test_bytes_are_those_of_memsize_of
    told(BYTES).each do |name, (real, (_count, allocated, _alive, in_use))|
      assert_operator allocated, :>=, in_use, name
      assert_equal real, in_use, name
    end
  end

  def test_without_data_sizes_objects_of_extensions_are_their_slots
    told(BYTES.sub("heap\n", "heap(data_sizes: false)\n")).each do |name, (real, (count, _allocated, _alive, in_use))|
      assert_equal name == "Thread::Queue" ? count * 40 : real, in_use, name
    end
  end

  # Size functions of extensions are asked in methods only, and may raise, allocate and collect.
  def test_extensions_whose_size_functions_are_hostile
    Dir.mktmpdir do |directory|
      extension = Extension.build("hostile_size", directory)
      %i[heap alloc].each do |mode|
        allocated, in_use = told(<<~RUBY)
          require #{extension.inspect}
          Rperf::Native.start(mode: #{mode.inspect}, frequency: 0, interval: 1, signal: nil, aggregate: true, min_age: 1, direct: DIRECT)
          kept = Array.new(100) { |number| HostileSize.new(number % 4) }
          churn(10_000)
          2.times { GC.compact }
          Rperf::Native.snapshot(false)
          kept = nil
          20.times { HostileSize.new(0) }
          churn(10_000)
          KEPT << HostileSize.new(1) << HostileSize.new(2)
          values(Rperf::Native.stop.to_h, "HostileSize").values_at(0, 2)
        RUBY
        assert_equal 122, allocated, mode
        # Words that are left on the stack may hold one more.
        assert_includes 2..3, in_use if mode == :heap
      end
    end
  end

  # In mode alloc an object is looked at when the next collection has marked: it has grown by then.
  def test_bytes_that_are_allocated_are_those_at_the_next_collection
    bytes = told(<<~RUBY)
      require "objspace"
      Text = Class.new(String)
      Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, direct: DIRECT)
      GC.disable
      100.times { Text.new.tap { |text| 10.times { text << "a" * 100 } } }
      GC.enable
      GC.start
      late = Text.new
      late << "b" * 1000
      [values(Rperf::Native.stop.to_h, "Text"), ObjectSpace.memsize_of(Text.new << "a" * 100 << "a" * 900), ObjectSpace.memsize_of(late)]
    RUBY
    (count, space), early, late = bytes
    assert_equal 101, count
    assert_operator space, :>=, 100 * 1000 + late
    assert_operator space, :<, 100 * 2 * early + late
  end

  # Without a collection all of them are looked at when there is no room for another one.
  def test_bytes_of_more_objects_than_are_watched
    count, space = told(<<~RUBY)
      Text = Class.new(String)
      Rperf::Native.start(mode: :alloc, frequency: 0, interval: 1, signal: nil, aggregate: true, objects: 100, direct: DIRECT)
      GC.disable
      1000.times { Text.new("a" * 1000) << "b" }
      GC.enable
      values(Rperf::Native.stop.to_h, "Text")
    RUBY
    assert_equal 1000, count
    assert_operator space, :>, 1000 * 1000
  end

  def test_growth_is_allocated_in_the_period_in_which_it_is_seen
    first, second, third = told(<<~RUBY)
      Text = Class.new(String)
      heap
      texts = Array.new(10) { Text.new }
      look = -> { values(Rperf::Native.snapshot(true, true).to_h, "Text") }
      seen = [look.call]
      texts.each { |text| text << "a" * 5000 }
      seen << look.call
      texts.each { |text| text.replace("") }
      seen << look.call
    RUBY
    assert_equal [10, 400, 10, 400], first
    assert_equal 0, second[0]
    assert_operator second[1], :>=, 10 * 5000
    assert_equal second[1] + 400, second[3]
    assert_equal [0, 0, 10], third.first(3), "what shrinks is not taken back"
  end

  def test_what_has_survived_fewer_collections_is_left_out
    counts = told(<<~RUBY)
      [0, 1, 3].to_h do |age|
        heap(min_age: age)
        KEPT.replace(Array.new(5) { Leaf.new(1) })
        seen = [false, true, true, true].map { |gc| values(Rperf::Native.snapshot(false, gc).to_h)[2] }
        Rperf::Native.stop
        [age, seen]
      end
    RUBY
    assert_equal({0 => [5, 5, 5, 5], 1 => [0, 5, 5, 5], 3 => [0, 0, 0, 5]}, counts)
  end

  def test_a_snapshot_without_a_collection_is_as_of_the_last_one
    in_use = told(<<~RUBY)
      heap
      # A thread that has ended has no stack on which words may hold some.
      Thread.new { KEPT.replace(Array.new(50) { Leaf.new(1) }) }.join
      GC.start
      KEPT.clear
      [false, true].map { |gc| values(Rperf::Native.snapshot(false, gc).to_h)[2] }
    RUBY
    assert_equal 50, in_use.first
    assert_operator in_use.last, :<, 5, "words on the stack may hold some"
  end

  # Beyond the limit every second record stays, and each stands for twice as many.
  def test_sums_stay_right_when_there_are_too_many_objects
    allocated, in_use, comments, period = told(<<~RUBY)
      heap(objects: 2000, seed: 7)
      40_000.times { |number| leaf = Leaf.new(number); KEPT << leaf if number.even? }
      data = Rperf::Native.stop.to_h
      [*values(data).values_at(0, 2), data[:comments], data[:period].last]
    RUBY
    # Some 1,500 records at the end: one standard deviation is 3 % of what lives.
    assert_in_delta 40_000, allocated, 4000
    assert_in_delta 20_000, in_use, 3000
    assert_match(/\Ainterval: 1, then (?:16|32|64)\z/, comments.grep(/interval/).first)
    assert_equal comments.grep(/interval/).first[/\d+\z/].to_i, period
  end

  def test_labels_and_threads_outlive_their_request_and_period
    rows = told(<<~RUBY)
      heap
      Rperf.label(endpoint: "GET /") { Thread.new { Rperf.label(endpoint: "GET /b") { KEPT << Leaf.new(1) } }.join; KEPT << Leaf.new(2) }
      rows = ->(data) { data[:samples].select { |sample| sample.values[2] > 0 && data[:label_sets].fetch(sample[3])[:class] == "Leaf" }
        .map { |sample| [data[:label_sets].fetch(sample[3])[:endpoint], data[:threads].any? { |thread| thread[:thread_seq] == sample[2] }, sample.values[2], sample[0].map(&:label).first] } }
      Array.new(3) { rows.call(Rperf::Native.snapshot(true, true).to_h).sort }
    RUBY
    expected = [["GET /", true, 1, "Class#new"], ["GET /b", true, 1, "Class#new"]]
    assert_equal [expected] * 3, rows
  end

  def test_labels_of_the_program_that_are_called_like_those_of_objects
    sets = told(<<~RUBY)
      heap
      Rperf.label(class: "premium", type: "vip", slot: "x", age: "42", lived: "no", shop: "a") { KEPT << Leaf.new(1) }
      data = Rperf::Native.snapshot(true, true).to_h
      data[:samples].map { |sample| data[:label_sets].fetch(sample[3]) }.select { |set| set[:class] == "Leaf" }
        .map { |set| [set[:type], set[:slot], set[:age].class.name, set[:lived].class.name, set[:shop]] }
    RUBY
    assert_equal [[nil, 40, nil.class.name, nil.class.name, "a"], [nil, 40, "Integer", "Integer", "a"]], sets.sort_by(&:inspect).reverse
  end

  def test_classes_that_are_gone_before_their_samples
    names = told(<<~RUBY)
      heap
      200.times { |number| Class.new { def a = 1 }.new.a; Object.const_set("Gone\#{number}", Class.new).new; Object.__send__(:remove_const, "Gone\#{number}") }
      4.times { GC.start }
      data = Rperf::Native.stop.to_h
      data[:samples].map { |sample| data[:label_sets].fetch(sample[3])[:class] }.compact.uniq
    RUBY
    assert_includes names, "#<Class>"
    assert_equal 200, names.grep(/\AGone\d+\z/).length
  end

  def test_a_forked_child_has_objects_of_its_own
    counts = told(<<~RUBY)
      heap
      churn(3000)
      reader, writer = IO.pipe
      pid = fork do
        churn(3000)
        GC.compact
        heap
        KEPT.replace(Array.new(70) { Leaf.new(1) })
        writer.write(Marshal.dump(values(Rperf::Native.stop.to_h).values_at(0, 2)))
        writer.close
        exit!
      end
      writer.close
      own = Marshal.load(reader.read)
      Process.wait(pid)
      KEPT.clear
      churn(700)
      GC.start
      [own, values(Rperf::Native.stop.to_h)[2], ObjectSpace.each_object(Leaf).count]
    RUBY
    own, in_use, alive = counts
    assert_equal [70, 70], own
    assert_equal alive, in_use
  end

  def test_200_sessions
    Rperf::LayoutProof.ensure
    200.times do |seed|
      Native.start(**OPTIONS, mode: :heap, frequency: 0, interval: 7, objects: 100, min_age: 1, seed: seed + 1, gc: false, direct: direct?)
      100.times { Object.new }
      Native.stop
    end
    refute_predicate Native, :running?
  end
end

# The same with the direct watch, which sees objects beside other Ractors, too.
class DirectLiveObjectsTest < LiveObjectsTest
  def direct? = true

  # Its collections are not told: what is watched lives through them, and dies in the next one that
  # is.
  def test_another_ractors_collections_free_nothing_unnoticed
    scene = <<~RUBY
      other = Ractor.new { 10.times { GC.start; Array.new(20_000) { Object.new } }; 1 }
      30.times { churn(2000) }
      other.take
      # With other Ractors, each_object knows of shareable objects only.
      KEPT.each { |leaf| Ractor.make_shareable(leaf) }
    RUBY
    (_allocated, in_use), alive, comments, = told("heap; #{scene}; GC.start; #{COMPARED}")
    assert_operator alive, :>, 0
    assert_equal alive, in_use
    assert_match(/\Aunannounced collections: \d+\z/, comments.grep(/unannounced/).first)
  end

  # A TracePoint of another Ractor ends the collector's events (Bug #19112) until the next look.
  def test_what_the_collector_does_not_tell_any_longer
    [
      "Ractor.new { TracePoint.new(:line) {}.enable { 1 } }.take",
      "1000.times.each_slice(20) { |numbers| numbers.map { Ractor.new { [Object.new]; 1 } }.each(&:take) }"
    ].each do |ractors|
      (_allocated, in_use), alive, = told("heap; #{ractors}; churn(30_000); Rperf::Native.snapshot(false); GC.start; KEPT.each { |leaf| Ractor.make_shareable(leaf) }; #{COMPARED}")
      assert_operator alive, :>, 1000, ractors
      assert_equal alive, in_use, ractors
    end
  end
end
