# frozen_string_literal: true

require_relative "../support/program"

# What a program notices of rperf before its first line: collections, objects, time, and what is
# loaded.
class LittleIsLoadedTest < Minitest::Test
  include ProgramSupport

  # Programs with the smallest heap there is, which rperf's objects would change most. Each collects
  # some 270 times.
  LOOPS = {
    "texts" => "500_000.times { |i| \"abc\#{i}\" * 3 }", "objects" => "1_000_000.times { Object.new }",
    "mixed" => "600_000.times { |i| [\"abc\#{i}\", {a: i}] }",
    "parts" => "600_000.times { |i| \"a,b,\#{i}\".split(',') }"
  }.freeze
  # Collections with rperf, as a share of those without. They are 2 to 4 % more; a heap that has
  # grown has half as many.
  COLLECTIONS = (0.95..1.05)
  # Of some runs the one with the fewest counts: where the first tick meets rperf/beginning, that
  # stays, and they are 5 to 8 % more: in one of three, and beside other programs in more. Without
  # rperf they differ by 1 %, and of as many runs the one with the most counts. A further run
  # of either can only make the share smaller: so there are more than one while it is too large.
  # The most without rperf, and with it: beside other programs nine had that once.
  MOST_PLAIN = 9
  MOST_RUNS = 30
  # Objects that stay: about 170. A heap that has 250 more grows: decision 24.
  OBJECTS = 190
  # CPU time as a share of what loading "json" takes in the same process, the least of so many
  # loads: 1.0 to 1.6 ("json" takes 2 to 6 ms: machines differ).
  TIMES_JSON = 2
  LOADS = 7
  # Bytes of memory of the process' own.
  PRIVATE = 1_500_000

  def ruby(code, directory, with: {})
    result = run_program(RUBY, "-e", code, directory:, env: with)
    assert_equal 0, result.code, result.inspect
    result
  end

  # With the variables that profile a program.
  def profiled(code, directory)
    ruby(code, directory, with: {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB, "RUBYOPT" => "-rrperf/autostart"})
  end

  def test_the_program_collects_as_often
    in_directory do |directory|
      LOOPS.each { |name, code| assert_includes COLLECTIONS, share_of_collections(code, directory), name }
    end
  end

  def share_of_collections(code, directory)
    plain, recorded = [], []
    until recorded.any? && recorded.min <= COLLECTIONS.max * plain.max || recorded.size == MOST_RUNS
      plain << Integer(ruby("#{code}; print GC.count", directory).out) if plain.size < MOST_PLAIN
      recorded << recorded_collections(code, directory)
    end
    recorded.min.fdiv(plain.max)
  end

  def recorded_collections(code, directory)
    Integer(rperf("record", "-o", "p.json", "ruby", "-e", "#{code}; print GC.count", directory:).out)
  end

  def test_few_objects_stay
    code = "def deep(n) = n.zero? ? 4.times { GC.start } : deep(n - 1); GC.stat; deep(300); print GC.stat(:heap_live_slots)"
    in_directory do |directory|
      # A word on the stack may look like the address of garbage, and keep it: the fewest of some
      # runs.
      counts = %i[ruby profiled].map { |how| Array.new(3) { Integer(send(how, code, directory).out) }.min }
      assert_operator counts.last - counts.first, :<=, OBJECTS
    end
  end

  def test_loading_is_quick_and_small
    code = <<~RUBY
      own = -> { File.read("/proc/self/status")[/RssAnon:\\s+(\\d+)/, 1].to_i * 1024 }
      cpu = ->(clock) { Process.clock_gettime(clock, :float_millisecond) }
      before = [cpu.call(Process::CLOCK_PROCESS_CPUTIME_ID), own.call]
      require "rperf/autostart"
      milliseconds, bytes = [cpu.call(Process::CLOCK_PROCESS_CPUTIME_ID), own.call].zip(before).map { |after, first| after - first }
      start = cpu.call(Process::CLOCK_THREAD_CPUTIME_ID)
      require "json"
      print milliseconds / (cpu.call(Process::CLOCK_THREAD_CPUTIME_ID) - start), " ", bytes
    RUBY
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB}
      figures = Array.new(LOADS) { ruby(code, directory, with: env).out.split.map(&:to_f) }
      assert_operator figures.map(&:first).min, :<=, TIMES_JSON
      assert_operator figures.map(&:last).min, :<=, PRIVATE
    end
  end if File.exist?("/proc/self/status")

  LOADED = "$LOADED_FEATURES.grep(%r{/lib/rperf/}).map { |path| path[%r{lib/(rperf/.*)}, 1] }.sort"

  def test_what_is_loaded_and_when
    few = %w[rperf/autostart.rb rperf/beginning.rb rperf/process_hooks.rb rperf/rperf.so]
    in_directory do |directory|
      assert_equal few.inspect, profiled("print #{LOADED}.inspect", directory).out
      {
        "Rperf.label(a: 1) { 1 }" => "facade", "Rperf.respond_to?(:label)" => "facade", "fork { exit! }; Process.wait" => "profiled_process",
        "require 'rperf'" => "facade"
      }.each { |code, file| assert_includes profiled("#{code}; print #{LOADED}.inspect", directory).out, "rperf/#{file}.rb", code }
    end
  end

  # Loading the page and its server takes as long as starting Ruby.
  def test_a_view_on_the_terminal_loads_no_page
    code = 'require "rperf/cli"; at_exit { print $LOADED_FEATURES.grep(%r{/(page|prism|socket)\.rb}) }; Rperf::CLI.run(%w[report --top p.json])'
    in_directory do |directory|
      rperf("record", "-o", "p.json", "ruby", "-e", "1", directory:)
      assert_match(/\[\]\z/, ruby(code, directory, with: {"RUBYLIB" => Paths::LIB}).out)
    end
  end

  # What the program asks of rperf without having loaded it.
  def test_the_api_is_there
    code = <<~RUBY
      p Rperf.running?, Rperf.label(kind: "late") { Rperf.labels }, defined?(Rperf.label), Rperf.respond_to?(:nonsense)
      begin
        Rperf.nonsense
      rescue NoMethodError => error
        puts error.message
      end
      data = Rperf.stop
      p data.class, data[:mode], data[:frequency], Rperf.stop
    RUBY
    in_directory do |directory|
      assert_equal ["true", '{kind: "late"}', '"method"', "false", "undefined method 'nonsense' for module Rperf", "Rperf::DataHash", ":cpu",
        "1000", "nil"], profiled(code, directory).out.lines(chomp: true)
    end
  end

  # A new setting needs a line in the file, whether it is plain or to be judged by all of rperf.
  def test_the_beginning_knows_every_setting
    text = File.read(File.join(ROOT, "lib/rperf/beginning.rb"))
    assert_empty Rperf::Options::TABLE.values.map(&:env).reject { |name| text.include?("\"#{name}\" =>") }
  end

  def test_settings_reach_the_session_by_both_ways
    in_directory do |directory|
      settings = {"RPERF_MODE" => "wall", "RPERF_FREQUENCY" => "250", "RPERF_AGGREGATE" => "0", "RPERF_LINES" => "0", "RPERF_DEFER" => "1"}
      found = [{}, {"RPERF_VERBOSE" => "0"}].map do |more|
        env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "p.json", "RUBYLIB" => Paths::LIB}.merge(settings, more)
        run_program(RUBY, "-rrperf/autostart", "-e", "Rperf.profile { sleep 0.1 }; Dir.chdir('/')", directory:, env:)
        data = Rperf.load(File.join(directory, "p.json"))
        [[data[:mode], data[:frequency], data[:comments].grep_v(/\Alayout: /)], data.key?(:raw_samples), data[:samples].flat_map { |sample| sample.lines.flatten(2) }.max]
      end
      assert_equal [[:wall, 250, ["deferred: Rperf.profile blocks only"]], true], found.first.first(2)
      assert_equal found.first.first(2), found.last.first(2)
    end
  end
end
