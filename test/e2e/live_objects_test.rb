# frozen_string_literal: true

require "open3"
require "rperf/viewer"
require_relative "../support/program"

# What of a program's objects is still there, from the command line to the file.
class LiveObjectsCommandTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # 3000 pages, of which 1000 stay in the cache, with a text of 1000 bytes each.
  PROGRAM = <<~'RUBY'
    class Page; def initialize(number) = @text = number.to_s * (1000 / number.to_s.length); end
    CACHE = []
    def read(number) = Page.new(number)
    def visit = 3000.times { |number| page = read(number + 1000); CACHE << page if number % 3 == 0 }
    visit
  RUBY

  def test_record_and_report
    in_directory do |directory|
      result = rperf("record", "-m", "heap", "-i", "1", "-o", "p.pb.gz", "ruby", "-e", PROGRAM, directory:)
      assert_match(/wrote p\.pb\.gz: [\d,]+ allocations sampled, \d.* of inuse_space/, result.err)
      data = Rperf.load(File.join(directory, "p.pb.gz"))
      assert_equal [%w[alloc_objects count], %w[alloc_space bytes], %w[inuse_objects count], %w[inuse_space bytes]], data[:value_types]
      assert_equal %w[inuse_space bytes], data[:value_type]
      assert_equal 3000, of_class(data, "Page")[0]
      # Words that are left on the stack may hold some more, texts oftener than pages.
      assert_includes 1000..1002, of_class(data, "Page")[2]
      assert_in_delta 1000 * (1000 + 40), of_class(data, "String")[3], 6 * 1040
      ["min age: 1", "gc before snapshot: yes", /\Acollections: \d+ minor, \d+ major\z/, /\Asizes measured: \d+ %\z/].each do |comment|
        assert data[:comments].any? { |line| comment === line }, [comment, data[:comments]].inspect
      end
      assert_pprof_agrees(directory, data)
    end
  end

  def test_without_a_collection_what_was_made_last_is_in_use
    in_directory do |directory|
      rperf("record", "-m", "heap", "-i", "1", "--no-gc", "--min-age", "0", "-o", "p.json", "ruby", "-e", "GC.disable; #{PROGRAM}", directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      assert_equal [3000, 3000], of_class(data, "Page").values_at(0, 2)
      assert_includes data[:comments], "gc before snapshot: no"
      rperf("record", "-m", "heap", "-i", "1", "--no-gc", "-o", "q.json", "ruby", "-e", "GC.disable; #{PROGRAM}", directory:)
      assert_equal 0, of_class(Rperf.load(File.join(directory, "q.json")), "Page")[2]
    end
  end

  def test_the_difference_of_two_snapshots_is_what_grew
    program = <<~RUBY
      require "rperf"
      #{PROGRAM.sub(/^visit\n/, "")}
      Rperf.start(mode: :heap, interval: 1)
      visit
      Rperf.save("before.pb.gz", Rperf.snapshot(gc: true))
      visit
      Rperf.save("after.pb.gz", Rperf.stop)
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", program, directory:)
      assert_predicate result.status, :success?, result.err
      top = rperf("diff", "--top", "--sample-index", "inuse_objects", "before.pb.gz", "after.pb.gz", directory:).out
      # Before and after, where a word on the stack may hold one or two more.
      assert_match(/^ *100[0-2] +(?:1999|200[0-2]) .*Page/, top)
    end
  end

  def test_the_environment
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_MODE" => "heap", "RPERF_INTERVAL" => "1", "RPERF_OUTPUT" => "p.json", "RPERF_GC" => "0",
             "RPERF_MIN_AGE" => "0", "RPERF_MAX_LIVE" => "1000", "RPERF_DATA_SIZES" => "0"}
      run_program(RUBY, "-I", Paths::LIB, "-rrperf/autostart", "-e", PROGRAM, directory:, env:)
      data = Rperf.load(File.join(directory, "p.json"))
      assert_includes data[:comments], "min age: 0"
      assert_includes data[:comments], "gc before snapshot: no"
      assert(data[:comments].any? { |line| line.start_with?("interval: 1, then ") }, data[:comments].inspect)
    end
  end

  def test_a_program_that_ends_badly
    in_directory do |directory|
      result = rperf("record", "-m", "heap", "-i", "1", "-o", "p.json", "ruby", "-e", "#{PROGRAM}; at_exit { Page.new(1) }; exit 3", directory:)
      assert_equal 3, result.code
      # A word on the stack may hold one or two more.
      assert_includes 1000..1002, of_class(Rperf.load(File.join(directory, "p.json")), "Page")[2]
    end
  end

  def test_settings_that_make_no_sense
    {
      %w[--min-age 1] => "min_age: (--min-age) belongs to the mode heap, not to cpu: leave it out, or choose another mode",
      %w[-m alloc --no-gc] => "gc: (--no-gc) belongs to the mode heap, not to alloc: leave it out, or choose another mode",
      %w[-m alloc --max-live 7] => "objects: (--max-live) belongs to the mode heap, not to alloc: leave it out, or choose another mode",
      %w[-m heap --max-live 1] => "--max-live must be a whole number from 2 to 10000000 (objects), not 1",
      %w[-m heap --min-age -1] => "--min-age must be a whole number from 0 to 1000000 (collections), not -1",
      %w[-m heap --no-aggregate] =>
        "aggregate: false (--no-aggregate) has no meaning in mode heap, where an object's sample changes until it dies: leave it out"
    }.each do |flags, sentence|
      in_directory do |directory|
        result = rperf("record", *flags, "ruby", "-e", "1", directory:)
        assert_equal [2, "rperf: #{sentence}\n"], [result.code, result.err]
      end
    end
  end

  def test_memory_by_where_it_is_taken = assert_memory_by_where_it_is_taken({})

  # bin/setup installs it.
  def jemalloc
    path = Dir["/usr/lib/*/libjemalloc.so.2", "/usr/lib*/libjemalloc.so.2"].first
    {"LD_PRELOAD" => path || flunk("there is no libjemalloc.so.2: run bin/setup")}
  end

  def test_memory_by_where_it_is_taken_from_another_malloc
    in_directory do |directory|
      loaded = run_program(RUBY, "-e", 'print File.read("/proc/self/maps").include?("jemalloc")', env: jemalloc, directory:)
      assert_equal "true", loaded.out, loaded.err
    end
    assert_memory_by_where_it_is_taken(jemalloc)
  end

  def test_stat_cannot_ask_another_malloc
    in_directory do |directory|
      result = rperf("stat", "-m", "heap", "ruby", "-e", "Array.new(1000) { Object.new }", env: jemalloc, directory:)
      assert_equal 0, result.code, result.err
      assert_match(/%  malloc, stacks, compiled code and other memory$/, result.err)
      refute_match(/malloc: in use/, result.err)
    end
  end

  def assert_memory_by_where_it_is_taken(env)
    # A word of the stack may keep the last text, until other calls take its place.
    program = 'def grow(text) = 1000.times { text << "0123456789" * 10 }; KEPT = +""; grow(KEPT); "x" * 200_000; ' \
              "def deep(n) = n.zero? ? 4.times { [] } : deep(n - 1); deep(300)"
    in_directory do |directory|
      result = rperf("record", "-m", "heap", "--native-memory", "--malloc-interval", "1", "-o", "p.pb.gz", "ruby", "-e", program, env:, directory:)
      assert_equal 0, result.code, result.err
      data = Rperf.load(File.join(directory, "p.pb.gz"))
      assert_includes data[:comments], "malloc: all libraries, one byte of 1 is drawn"
      blocks = data[:samples].select { |sample| data[:label_sets].fetch(sample[3]).then { |labels| labels[:class] == "malloc" && !labels.key?(:slot) } }
      in_use = ->(label) { blocks.sum { |sample| sample[0].any? { |frame| frame.label == label } ? sample.values[3] : 0 } }
      assert_includes 100_000..200_000, in_use["Object#grow"]
      assert_equal 0, in_use["String#*"]
      assert_match(/Object#grow/, rperf("report", "--top", "--tagleaf", "", "p.pb.gz", directory:).out)
    end
  end

  def test_a_ruby_whose_memory_is_not_seen
    sentence = "malloc: true (--malloc) is not possible here: rperf does not see all memory that this Ruby takes from malloc; " \
               "leave it out, and buffers count by the size of their objects"
    %w[RPERF_MALLOC_PROOF RPERF_ALLOCATION_PROOF].each do |proof|
      in_directory do |directory|
        result = rperf("record", "-m", "alloc", "--malloc", "ruby", "-e", "puts 1", env: {proof => "fail"}, directory:)
        assert_equal ["1\n", true], [result.out, result.err.include?(sentence)], result.err
      end
    end
  end

  def test_keywords_that_make_no_sense
    {{mode: :heap, gc: 1} => /\Agc: must be true or false, not 1\z/, {mode: :cpu, objects: 5} => /\Aobjects: /,
     {mode: :heap, aggregate: false} => /\Aaggregate: false/, {mode: :heap, frequency: 10} => /\Afrequency: /}.each do |keywords, sentence|
      error = assert_raises(ArgumentError) { Rperf.start(**keywords) }
      assert_match sentence, error.message
    end
    assert_raises(ArgumentError) { Rperf.snapshot(gc: nil) }
    viewer = Rperf::Viewer.new(permit: ->(_env) { true })
    [Rperf.method(:snapshot), viewer.method(:take_snapshot!)].each do |method|
      assert_equal "clear: must be true or false, not \"no\"", assert_raises(ArgumentError) { method.call(clear: "no") }.message
    end
    assert_raises(ArgumentError) { Rperf.stop(gc: "yes") }
    refute_predicate Rperf, :running?
  end

  private

  # The sums of a class's values.
  def of_class(data, name)
    rows = data[:samples].select { |sample| data[:label_sets].fetch(sample[3])[:class] == name }
    rows.map(&:values).transpose.map(&:sum)
  end

  # The same sums in Go's pprof.
  def assert_pprof_agrees(directory, data)
    data[:value_types].each_with_index do |(type, unit), index|
      raw, = Open3.capture2("go", "tool", "pprof", "-sample_index=#{type}", "-unit=#{unit == "count" ? "count" : "B"}", "-top",
        "-nodefraction=0", "p.pb.gz", chdir: directory, err: File::NULL)
      assert_equal data[:samples].sum { |sample| sample.values[index] }, raw[/ of (\d+)(?:B|count)? total/, 1].to_i, raw
    end
  end
end
