# frozen_string_literal: true

require "json"
require "open3"
require_relative "../support/program"

# A program that leaks, among garbage and beside a cache that does not grow: which line it is.
class LeaksTest < Minitest::Test
  include ProgramSupport

  PROGRAM = <<~'RUBY'
    class Registry
      @entries = []
      class << self
        def fill = @cache = Array.new(500) { |number| "cached #{number} " * 20 }
        def remember(visit) = @entries << "visit #{visit} " * 20
        def render(visit) = 300.times { |number| "page #{visit} #{number} " * 20 }
      end
    end

    def visit(number)
      20.times { Registry.remember(number) }
      Registry.render(number)
      sleep 0.01
    end
    Registry.fill
  RUBY
  VISITS = "60.times { |number| visit(number) }"
  LEAK, CACHE = PROGRAM.lines.index { |line| line.include?("remember") } + 1, PROGRAM.lines.index { |line| line.include?("fill") } + 1

  def test_the_leak_is_the_first_row
    in_directory do |directory|
      write_file(directory, "app.rb", PROGRAM + VISITS)
      rperf("record", "-m", "heap", "-i", "5", "-o", "p.pb.gz", "ruby", "app.rb", directory:)
      leak, *others = rows("report", "p.pb.gz", directory:)
      assert_equal ["String", "Registry.remember", LEAK], leak.values_at("class", "method", "line")
      assert_in_delta 1200, leak["inuse_objects"], 400
      # It has grown all the time.
      assert_operator leak["born"].values_at(0, 2).min, :>, 0
      assert_cache others.find { |row| row["line"] == CACHE }, leak
      assert_empty(others.select { |row| row["method"].include?("render") && row["inuse_objects"] > 50 })
      text = rperf("report", "--leaks", "p.pb.gz", directory:).out
      assert_match(/allocated at\n.*%  String +Registry\.remember app\.rb:#{LEAK}$/, text)
    end
  end

  def test_snapshots_of_one_process_are_not_added_up_in_silence
    in_directory do |directory|
      write_file(directory, "app.rb", <<~RUBY)
        Rperf.start(mode: :heap, interval: 1)
        $kept = Array.new(1000) { "k" * 1000 }
        3.times { |number| Rperf.save("\#{number}.pb.gz", Rperf.snapshot(clear: true, gc: true)) }
      RUBY
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "app.rb", directory:)
      assert_predicate result.status, :success?, result.err
      files = %w[0.pb.gz 1.pb.gz 2.pb.gz]
      reason = /3 files are of process \d+, and what it has in use is in each of them: name the last one alone, or compare two with 'rperf diff'$/
      result = rperf("report", "--leaks", *files, directory:)
      assert_equal [1, ""], [result.code, result.out]
      assert_match(/\Arperf: --leaks needs one file of a process: #{reason}/, result.err)
      [["report", "--top", *files], ["merge", "-o", "all.pb.gz", *files]].each do |words|
        result = rperf(*words, directory:)
        assert_equal 0, result.code
        assert_match(/^rperf: what is in use is added up: #{reason}/, result.err)
      end
      [["report", "--top", "2.pb.gz"], ["report", "--top", "--sample-index", "alloc_space", *files]].each do |words|
        assert_empty rperf(*words, directory:).err
      end
    end
  end

  def test_what_grew_between_two_snapshots
    in_directory do |directory|
      write_file(directory, "app.rb", <<~RUBY)
        require "rperf"
        #{PROGRAM}
        Rperf.start(mode: :heap, interval: 1)
        Registry.fill
        #{VISITS}
        Rperf.save("before.pb.gz", Rperf.snapshot(gc: true))
        #{VISITS}
        Rperf.save("after.pb.gz", Rperf.stop)
      RUBY
      result = run_program(RUBY, "-I", Paths::LIB, "app.rb", directory:)
      assert_predicate result.status, :success?, result.err
      leak, *others = rows("diff", "--nodefraction", "0", "before.pb.gz", "after.pb.gz", directory:)
      assert_equal "Registry.remember", leak["method"]
      # Words on the stack may hold one or two more, before or after.
      assert_in_delta 1200, leak.dig("growth", "inuse_objects"), 2
      assert_in_delta 0, others.find { |row| row["method"].include?("fill") }.dig("growth", "inuse_objects"), 2
      assert_pprof_agrees(directory)
      found = Rperf.diff(*%w[before.pb.gz after.pb.gz].map { |name| Rperf.load(File.join(directory, name)) })
      assert_equal [leak, *others], JSON.parse(JSON.generate(found[:rows]))
    end
  end

  def test_profiles_that_cannot_be_asked
    in_directory do |directory|
      rperf("record", "-m", "alloc", "-o", "p.pb.gz", "ruby", "-e", "Array.new(5000) { Object.new }", directory:)
      sentence = "--leaks needs the ages of objects: a profile of rperf record -m heap, neither scaled nor a mean; " \
                 "this one of alloc_space has none\n"
      result = rperf("report", "--leaks", "p.pb.gz", directory:)
      assert_equal [1, "rperf: cannot show 'p.pb.gz': #{sentence}"], [result.code, result.err]
      result = rperf("diff", "--leaks", "p.pb.gz", "p.pb.gz", directory:)
      assert_equal [1, "rperf: cannot compare 'p.pb.gz' and 'p.pb.gz': #{sentence}"], [result.code, result.err]
      assert_equal 2, rperf("report", "--leaks", "--pprof", "p.pb.gz", directory:).code
    end
  end

  private

  def rows(command, *files, directory:)
    JSON.parse(rperf(command, "--leaks", "--format", "json", *files, directory:).out).fetch("rows")
  end

  # It is old, and has not grown.
  def assert_cache(cache, leak)
    assert_equal "String", cache["class"]
    assert_equal 0, cache["born"][2]
    assert_operator cache["lived_ns"], :>=, leak["lived_ns"]
  end

  # Ages are labels: sums by function do not know them.
  def assert_pprof_agrees(directory)
    {"diff" => %w[before.pb.gz after.pb.gz], "report" => %w[after.pb.gz]}.each do |command, files|
      base, file = files.values_at(-2, -1) if command == "diff"
      pprof, = Open3.capture2("go", "tool", "pprof", "-sample_index=inuse_objects", "-tree", "-nodefraction=0", "-nodecount=0",
        *("-diff_base=#{base}" if base), file || files.first, chdir: directory, err: File::NULL)
      ours = rperf(command, "--tree", "--tagleaf", "", "--sample-index", "inuse_objects", "--nodefraction", "0", "--nodecount", "0", *files, directory:)
      assert_includes pprof, "Registry.remember"
      # Calls whose change is 0 are in pprof's tree where the ages on both sides differ.
      assert_equal pprof.lines.grep_v(/^ +0 +0% \|/).join[/flat%.*\z/m], ours.out[/flat%.*\z/m]
    end
  end
end
