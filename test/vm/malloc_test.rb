# frozen_string_literal: true

require_relative "support/extension"
require_relative "support/manual_session"

# What a profile says of memory that malloc hands out: with each byte drawn exactly what was taken,
# and what of it has not been freed.
class MallocTest < Minitest::Test
  include ManualSession

  PROGRAM = <<~'RUBY'
    require "rperf/malloc_proof"
    abort "malloc is not seen" unless Rperf::MallocProof.ensure
    Rperf::LayoutProof.ensure

    # Each object is sampled, and each byte drawn, unless it is said otherwise.
    def watch(mode = :heap, **options)
      Rperf::Native.start(mode:, frequency: 0, interval: 1, signal: nil, aggregate: true, objects: 1_000_000, min_age: 0,
                          direct: true, malloc: true, malloc_interval: 1, **options)
    end

    # Rows of malloc: the labels of the stack, and the values.
    def rows(data)
      rows = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == "malloc" }
      rows.map { |sample| [sample[0].map { |frame| frame[1] }, sample.values, sample] }
    end

    # Bytes taken and in use below a method.
    def bytes(data, label)
      of_method = rows(data).select { |labels, _| labels.include?(label) }
      of_method.map { |_, values| values.values_at(1, 3) }.transpose.map(&:sum)
    end

    def stop = Rperf::Native.stop.to_h
  RUBY

  def told(code, *flags, env: {}) = Marshal.load(ruby("#{PROGRAM}\ntold = begin\n#{code}\nend\nputs [Marshal.dump(told)].pack('m0')", *flags, env:).unpack1("m"))

  # What the memory test extension is.
  def extension(name = "memory") = in_directory { |directory| yield Extension.build(name, directory) }

  KINDS = <<~'RUBY'
    require "objspace"
    Record = Struct.new(*(:a..:z))
    Wide = Class.new { class_eval("def initialize = (#{Array.new(60) { |number| "@v#{number} = 1" }.join("; ")})") }
    TO = (ENV["SCALE"] || 1).to_i
    module Makes
      module_function
      def small = Array.new(20_000 * TO) { |number| "s#{number}" }
      def medium = Array.new(400 * TO) { |number| "x" * (1000 + number * 97 % 10_000) }
      def large = Array.new(40) { "y" * 1_000_000 }
      def grown = Array.new(200 * TO) { +"" }.each { |text| 200.times { text << "0123456789" * 10 } }
      def lists = Array.new(100 * TO) { [] }.each { |list| 2000.times { |number| list << number } }
      def tables = Array.new(200 * TO) { Hash.new }.each { |table| 300.times { |number| table[number] = number } }
      def records = Array.new(2000 * TO) { |number| Record.new(number) }
      def wide = Array.new(2000 * TO) { Wide.new }
    end
    KEPT = {}
    def real(objects) = ObjectSpace.memsize_of(objects) + objects.sum { |object| ObjectSpace.memsize_of(object) }
    # Bytes in use below each method of Makes, of all classes; and the truth.
    def measured
      names = Makes.singleton_methods(false)
      names.each { |name| KEPT[name] = Makes.public_send(name) }
      data = stop
      sums = Hash.new(0)
      data[:samples].each do |sample|
        name = sample[0].map { |frame| frame[1][/\AMakes\.(\w+)\z/, 1] }.compact.last
        sums[name.to_sym] += sample.values[3] if name
      end
      names.to_h { |name| [name, [sums[name], real(KEPT[name])]] }
    end
  RUBY

  def test_bytes_in_use_of_eight_kinds_are_those_of_memsize_of
    [[], ["--yjit"]].each do |flags|
      told("#{KINDS}\nwatch\nmeasured", *flags).each do |name, (in_use, real)|
        assert_in_delta 1, in_use / real.to_f, 0.05, "#{name} #{flags}"
      end
    end
  end

  # One byte of 4 KiB: sums are right on average.
  def test_bytes_that_are_drawn_are_right_on_average
    program = <<~RUBY
      #{KINDS}
      Array.new(16) do |seed|
        watch(malloc_interval: 4096, seed: seed * 7919)
        measured.transform_values { |in_use, real| in_use / real.to_f }.tap { KEPT.clear }
      end
    RUBY
    [[], ["--yjit"]].each do |flags|
      runs = told(program, *flags)
      runs.first.each_key do |name|
        ratios = runs.map { |run| run[name] }
        # The spread of a mean: 0.02 and less.
        assert_in_delta 1, ratios.sum / ratios.length, 0.05, "#{name} #{flags} #{ratios}"
      end
    end
  end

  def test_growth_is_charged_to_the_call_that_grows
    grown, made = told(<<~RUBY)
      def make = +""
      def grow(text) = 100.times { text << "0123456789" * 10 }
      make
      watch
      grow(text = make)
      data = stop
      [bytes(data, "Object#grow"), bytes(data, "Object#make")]
    RUBY
    # Doubled again and again: what it was before has been taken, too.
    assert_includes 10_000..20_000, grown[1]
    assert_operator grown[0], :>, grown[1] * 1.5
    assert_empty made
  end

  def test_each_function_of_a_library_counts_with_native_memory_only
    extension do |path|
      told(<<~RUBY).each do |everywhere, (blocks, taken, given_back)|
        require #{path.inspect}
        [true, false].to_h do |everywhere|
          watch(native_memory: everywhere)
          blocks = Memory.take
          taken = bytes(Rperf::Native.snapshot(false).to_h, "Memory.take")
          Memory.give_back
          [everywhere, [blocks, taken, bytes(stop, "Memory.take")]]
        end
      RUBY
        assert_equal 7, blocks
        assert_equal [everywhere ? [7400, 7000] : [], everywhere ? [7400, 0] : []], [taken, given_back], everywhere
      end
    end
  end

  def test_a_block_that_cannot_grow_stays
    extension do |path|
      failure, kept, freed = told(<<~RUBY)
        require #{path.inspect}
        watch(native_memory: true)
        failure = Memory.fail
        kept = bytes(Rperf::Native.snapshot(false).to_h, "Memory.fail")
        Memory.give_back
        [failure, kept, bytes(stop, "Memory.fail")]
      RUBY
      assert_equal Errno::ENOMEM::Errno, failure
      assert_equal [2000, 1000], kept
      assert_equal [2000, 0], freed
    end
  end

  def test_threads_without_the_gvl
    extension do |path|
      off, native = told(<<~RUBY)
        require #{path.inspect}
        def waits = Memory.take_without_gvl(3000)
        waits # What the VM remembers of a call is taken at the first one.
        watch(native_memory: true)
        waits
        Memory.take_on_native_thread(5000)
        data = stop
        [bytes(data, "Object#waits"), rows(data).select { |labels, _| labels == ["[native thread]"] }.map { |_, values| values[3] }]
      RUBY
      assert_equal [3000, 3000], off
      assert_includes native, 5000
    end
  end

  # What has left the stack is not read there: the code says whose it is, once its method is known.
  def test_methods_without_the_gvl_whose_variables_have_left_the_stack
    extension do |path|
      labels = told(<<~RUBY)
        require #{path.inspect}
        class Waiting
          def wait(escapes)
            binding if escapes
            Memory.take_without_gvl(3000)
          end
        end
        Waiting.new.wait(true)
        watch(native_memory: true)
        [true, false].each { |escapes| Waiting.new.wait(escapes) }
        rows(stop).flat_map { |labels,| labels.grep(/wait/) }.uniq
      RUBY
      assert_equal ["Waiting#wait"], labels
    end
  end

  def test_libraries_that_are_loaded_later
    extension do |path|
      seen = told(<<~RUBY)
        require "fiddle"
        watch(native_memory: true)
        handle = Fiddle.dlopen(#{path.inspect})
        GC.start
        Fiddle::Function.new(handle["Init_memory"], [], Fiddle::TYPE_VOID, need_gvl: true).call
        Memory.take
        bytes(stop, "Memory.take")
      RUBY
      assert_equal [7400, 7000], seen
      required = told(<<~RUBY)
        watch(native_memory: true)
        require #{path.inspect}
        Memory.take
        bytes(stop, "Memory.take")
      RUBY
      assert_equal [7400, 7000], required
    end
  end

  # While native threads take and free memory in a loop.
  def test_children_of_forks
    extension do |path|
      children, parent = told(<<~RUBY)
        require #{path.inspect}
        def own = "x" * 100_000
        own
        watch(native_memory: true)
        # (Later it might be lost, and counted as "profiler busy": a thread that takes memory may
        # lose its processor while it is being sampled.)
        kept = own
        Memory.start_churn
        children = Array.new(30) do
          reader, writer = IO.pipe
          pid = fork do
            before = own
            watch(native_memory: true)
            kept = [own, own]
            writer.write(bytes(stop, "Object#own").inspect)
            exit!(0)
          end
          writer.close
          reader.read.tap { Process.wait(pid) }
        end
        Memory.stop_churn
        [children, bytes(stop, "Object#own")]
      RUBY
      assert_equal ["[200002, 200002]"], children.uniq
      assert_equal [100_001, 100_001], parent
    end
  end

  def test_slots_are_as_before
    (before, pages), changed, (after, pages_after) = told(<<~RUBY)
      slots = -> { Rperf::Native.malloc_slots }
      pages = -> { File.readlines("/proc/self/maps").grep(/[.]so|ruby/).map { |line| line.split.values_at(0, 1) } }
      before = [slots.call, pages.call]
      watch(native_memory: true)
      changed = slots.call
      stop
      [before, changed, [slots.call, pages.call]]
    RUBY
    assert_equal before, after
    assert_equal pages, pages_after
    assert_operator before.zip(changed).count { |old, new| old != new }, :>, 10
  end

  # Another allocator stays beneath.
  def test_a_malloc_that_was_preloaded
    in_directory do |directory|
      library = File.join(directory, "counting.so")
      File.write(File.join(directory, "counting.c"), <<~C)
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stddef.h>
        unsigned long counted;
        void *malloc(size_t size)
        {
            static void *(*real)(size_t);
            if (!real) real = dlsym(RTLD_NEXT, "malloc");
            counted++;
            return real(size);
        }
      C
      assert system("cc", "-shared", "-fPIC", "-o", library, File.join(directory, "counting.c"))
      seen, counted = told(<<~RUBY, env: {"LD_PRELOAD" => library})
        require "fiddle"
        counted = Fiddle::Pointer.new(Fiddle::Handle::DEFAULT["counted"])
        def own = Array.new(1000) { "x" * 1000 }
        # The heap has room for its objects: a page of it is taken from malloc, too.
        own
        GC.start
        watch
        before = counted[0, 8].unpack1("Q")
        kept = own
        counted = counted[0, 8].unpack1("Q") - before
        [bytes(stop, "Object#own"), counted]
      RUBY
      assert_in_delta 1_009_000, seen[1], 500
      assert_operator counted, :>=, 1001
    end
  end

  # Records are halved by chance: sums stay right but for chance.
  def test_more_blocks_than_are_kept
    (_, in_use), comments = told(<<~RUBY)
      def own = Array.new(40_000) { "x" * 1000 }
      watch(objects: 2000, interval: 1_000_000)
      kept = own
      data = stop
      [bytes(data, "Object#own"), data[:comments]]
    RUBY
    assert_in_delta 40_360_000, in_use, 40_360_000 * 0.15
    assert_match(/one byte of (?!1 )\d+ is drawn/, comments.grep(/\Amalloc/).first)
  end

  # A new period has nothing of what was taken before, and all that is in use.
  def test_periods
    first, second, last = told(<<~RUBY)
      def own(size) = "x" * size
      own(1)
      watch
      kept = [own(50_000)]
      first = bytes(Rperf::Native.snapshot(true, true).to_h, "Object#own")
      kept << own(70_000)
      second = bytes(Rperf::Native.snapshot(true, true).to_h, "Object#own")
      kept.clear
      own(10)
      [first, second, bytes(stop, "Object#own")]
    RUBY
    assert_equal [50_001, 50_001], first
    assert_equal [70_001, 120_002], second
    assert_equal 0, last[0].to_i
  end

  def test_mode_alloc_has_what_is_taken
    taken, = told(<<~RUBY)
      def own = 100.times { "x" * 1000 }
      own
      GC.start # Else the objects may need another page of the heap, whose description is taken, too.
      watch(:alloc)
      own
      rows(stop).select { |labels, _| labels.include?("Object#own") }.map { |_, values| values }.transpose.map(&:sum).last
    RUBY
    assert_equal 100_100, taken
  end
end
