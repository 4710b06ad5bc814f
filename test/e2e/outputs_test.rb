# frozen_string_literal: true

require "zlib"
require_relative "../support/program"

# Formats, what stat and exec print, and profiles read back by others.
class OutputsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  CODE = <<~RUBY
    def cpu_work(n) = n.times { |i| i * i }
    def io_work = sleep(0.05)
    3.times { cpu_work(300_000); io_work }
  RUBY

  def in_prepared_directory
    in_directory do |directory|
      write_file(directory, "mixed.rb", CODE)
      yield directory
    end
  end

  # (Those that rperf reads back are below.)
  def test_every_format_by_name
    in_prepared_directory do |directory|
      {
        "p.collapsed" => ->(bytes) { assert_match(/^<main>;.*Object#cpu_work.* \d+$/, bytes) },
        "p.txt" => ->(bytes) { assert_match(/\ATotal: [\d,.]+\s?ms \(cpu\)\n.*^Flat:\n.*Object#cpu_work \(mixed\.rb\)/m, bytes) },
        "p.data" => ->(bytes) { assert_includes Zlib.gunzip(bytes), "Object#cpu_work" }
      }.each do |name, check|
        result = rperf("record", "-o", name, "ruby", "mixed.rb", directory:)
        assert_equal 0, result.code, result.inspect
        check.call(File.binread(File.join(directory, name)))
      end
      assert_empty Dir.children(directory).grep(/tmp/)
    end
  end

  def test_the_option_overrides_the_name
    in_prepared_directory do |directory|
      rperf("record", "--format", "text", "-o", "profile.dat", "ruby", "mixed.rb", directory:)
      assert_match(/^Flat:$/, File.read(File.join(directory, "profile.dat")))
    end
  end

  def test_machine_formats_are_read_back
    in_prepared_directory do |directory|
      {"p.pb.gz" => [true, false], "p.json" => [false, true], "p.json.gz" => [true, true]}.each do |name, (packed, json)|
        rperf("record", "-m", "wall", "-o", name, "ruby", "mixed.rb", directory:)
        bytes = File.binread(File.join(directory, name))
        assert_equal packed, bytes.start_with?("\x1f\x8b".b), name
        assert_equal json, (packed ? Zlib.gunzip(bytes) : bytes).start_with?("{"), name
        data = Rperf.load(File.join(directory, name))
        labels = data[:samples].flat_map(&:first).map { |frame| frame[1] }.uniq
        ["Object#cpu_work", "Object#io_work", "[GVL blocked]"].each { |label| assert_includes labels, label, name }
        assert_equal :wall, data[:mode]
        assert_same data[:samples], data[:aggregated_samples]
      end
    end
  end

  def test_every_sampling_option_reaches_the_profile
    in_prepared_directory do |directory|
      rperf("record", "-f", "250", "-m", "wall", "--signal", "none", "--no-lines", "--no-aggregate", "-o", "p.json", "ruby", "mixed.rb", directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      assert_equal [250, :wall, :safepoint], data.values_at(:frequency, :mode, :engine)
      assert_same data[:samples], data[:raw_samples]
      assert_operator data[:samples].length, :>=, 3, "one at least for each sleep"
      assert_empty data[:samples].flat_map { |sample| sample.lines.flat_map(&:first) }.reject(&:zero?)
    end
  end

  def test_verbose_statistics
    in_prepared_directory do |directory|
      result = rperf("record", "-v", "ruby", "mixed.rb", directory:)
      assert_match(/^\[rperf\] mode=cpu frequency=1000Hz engine=(poll|safepoint)$/, result.err)
      assert_match(/^\[rperf\] sampling: [\d,]+ calls, [\d.]+ms total, [\d.]+us\/call avg, [\d,]+ triggers$/, result.err)
      assert_match(/^\[rperf\] samples recorded: [1-9]/, result.err)
      assert_match(/^\[rperf\] dropped: /, result.err)
      assert_match(/^\[rperf\] top 10 by flat:\n\[rperf\] +[\d.]+ms +[\d.]+%  /, result.err)
    end
  end

  def test_verbose_statistics_name_the_engine_and_the_causes_of_drops
    code = "Thread.new { 1 }.join; Array.new(50) { Thread.new { sleep 0.001 } }.each(&:join)"
    engines = {{} => /engine=(poll|safepoint)$/, {"RPERF_LAYOUT_PROOF" => "fail"} => /engine=safepoint$/}
    in_directory do |directory|
      engines.each do |env, engine|
        result = rperf("stat", "-v", "ruby", "-e", code, directory:, env:)
        assert_match engine, result.err
        assert_match(/^\[rperf\] dropped: (nothing|\d+ samples?, [\d.]+ [mu]?s \([a-z ]+\))$/, result.err)
      end
      assert_match(/engine=safepoint$/, rperf("stat", "-v", "--signal", "none", "ruby", "-e", code, directory:).err)
    end
  end

  def test_stat
    in_prepared_directory do |directory|
      result = rperf("stat", "ruby", "mixed.rb", directory:)
      lines = result.err.lines.map(&:chomp)
      assert_equal " Performance stats for 'ruby mixed.rb':", lines[1]
      ["user", "sys", "real", "CPU execution", "[Ruby] GVL blocked (I/O, sleep)", "[Ruby] allocated objects",
       "[Ruby] freed objects", "[OS] peak memory (maxrss)"].each { |name| assert(lines.any? { |line| line.end_with?(name) }, name) }
      blocked = milliseconds(lines, "[Ruby] GVL blocked (I/O, sleep)")
      assert_operator blocked, :>=, 100, "three sleeps of 50 ms, but for the way there and back"
      assert_operator milliseconds(lines, "real"), :>=, blocked
      assert_operator milliseconds(lines, "user"), :>, 10
      assert_match(/^ +\d+ MB +\[OS\] peak memory/, result.err)
      assert_match(%r{^  [\d,]+ samples? / [\d,]+ triggers?, ([\d,]+ events?, )?([\d,]+ dropped, )?\d+\.\d% profiler overhead$}, lines.grep(/triggers/).first)
      refute_match(/Flat:/, result.err)
    end
  end

  def test_stat_has_the_times_of_a_program_that_leaves_no_profile
    in_directory do |directory|
      {"Process.kill(:KILL, $$)" => [nil, "KILL"], "Rperf.stop; exit 3" => [3, nil]}.each do |code, ending|
        result = rperf("stat", "--report", "ruby", "-rrperf", "-e", "sleep 0.1; #{code}", directory:)
        assert_equal ending, [result.code, result.signal], result.err
        assert_match(/\Arperf: process \d+ left no profile: .*\n\n Performance stats for 'ruby .*':\n\n( +[\d,.]+ ms +(user|sys|real)\n){3}\n\z/, result.err)
        assert_operator milliseconds(result.err.lines(chomp: true), "real"), :>=, 100
      end
    end
  end

  def test_stat_with_tables_and_exec_are_the_same
    in_prepared_directory do |directory|
      [%w[stat --report], %w[exec]].each do |words|
        result = rperf(*words, "ruby", "mixed.rb", directory:)
        assert_match(/profiler overhead\n\nFlat:\n.*\[GVL blocked\].*^Cumulative:\n.*Object#io_work/m, result.err)
        assert_empty Dir.children(directory) - %w[mixed.rb .stdout .stderr]
      end
    end
  end

  def test_stat_can_also_save
    in_prepared_directory do |directory|
      result = rperf("stat", "-m", "cpu", "-o", "p.txt", "ruby", "mixed.rb", directory:)
      assert_match(/^rperf: wrote p\.txt$/, result.err)
      assert_match(/\ATotal: .*\(cpu\)/, File.read(File.join(directory, "p.txt")))
    end
  end

  def test_gc_counts_are_the_programs
    in_directory do |directory|
      result = rperf("stat", "ruby", "-e", "GC.disable; 100_000.times { Object.new }; 3.times { GC.start }", directory:)
      assert_match(/GC time \(3 count: 0 minor, 3 major\)$/, result.err)
      allocated = result.err[/([\d,]+) +\[Ruby\] allocated objects/, 1].delete(",").to_i
      assert_includes 100_000..120_000, allocated
    end
  end

  def test_yjit_is_named
    in_prepared_directory do |directory|
      result = rperf("stat", "ruby", "--yjit", "mixed.rb", directory:)
      assert_match(/\[Ruby\] YJIT/, result.err)
    end
  end

  def test_report_and_diff_hand_over_to_pprof
    in_prepared_directory do |directory|
      %w[a.pb.gz b.json].each { |name| rperf("record", "-o", name, "ruby", "mixed.rb", directory:) }
      %w[a.pb.gz b.json].each do |name|
        result = rperf("report", "--top", name, directory:)
        assert_equal 0, result.code, result.inspect
        assert_match(/flat%.*Object#cpu_work/m, result.out)
      end
      result = rperf("diff", "--text", "a.pb.gz", "b.json", directory:)
      assert_equal 0, result.code, result.inspect
      assert_match(/flat before.*Object#cpu_work/m, result.out)
    end
  end

  def test_set_up_by_hand
    in_prepared_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_MODE" => "wall", "RPERF_OUTPUT" => "hand.txt", "RPERF_STAT" => "1",
             "RPERF_STAT_REPORT" => "1", "RPERF_STAT_COMMAND" => "my command"}
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "mixed.rb", directory:, env:)
      assert_equal 0, result.code, result.inspect
      assert_match(/Performance stats for 'my command':.*^Flat:$/m, result.err)
      assert_match(/\ATotal: .*\(wall\)/, File.read(File.join(directory, "hand.txt")))
    end
  end

  # As `time` prints them: what came before rperf was loaded is in all three.
  def test_statistics_set_up_by_hand_are_those_of_the_whole_process
    in_directory do |directory|
      write_file(directory, "before.rb", <<~RUBY)
        now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
        nil while now.call < 0.5
      RUBY
      env = {"RPERF_ENABLED" => "1", "RPERF_STAT" => "1"}
      result = run_program(RUBY, "-I", Paths::LIB, "-r./before", "-rrperf", "-e", "1", directory:, env:)
      user, sys, real = %w[user sys real].map { |name| result.err[/^ +([\d.,]+) ms +#{name}$/, 1].delete(",").to_f }
      assert_operator user + sys, :>=, 500
      assert_operator real, :>=, 500
    end
  end

  def test_set_up_by_hand_each_process_has_its_file
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "hand.collapsed"}
      code = "Dir.chdir('/'); pid = fork { 1 }; Process.wait(pid); print pid"
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:, env:)
      files = Dir.children(directory) - %w[.stdout .stderr]
      assert_equal ["hand.#{result.out}.collapsed", "hand.collapsed"].sort, files.sort, result.inspect
    end
  end

  # In a shell, or a container, whose environment is the program's: the report took its place.
  def test_set_up_by_hand_the_command_leaves_the_file_alone
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RUBYLIB" => Paths::LIB, "RUBYOPT" => "-rrperf"}
      run_program(RUBY, "-e", "def own = 300_000.times { |i| i.to_s }; own", directory:, env:)
      2.times { assert_match(/ Object#own$/, rperf("report", "--top", "rperf.data", directory:, env:).out) }
    end
  end

  # Whether it is another program that the process goes on as, or the same.
  def test_set_up_by_hand_what_was_before_exec_stays_in_the_file
    one = "def one = 300_000.times { |i| i.to_s }; one"
    two = "def two = 300_000.times { |i| i.to_s }; two"
    {"hand.data" => "begin; exec '/no/such'; rescue SystemCallError; end; #{two}", "hand.json" => "exec #{RUBY.dump}, '-e', #{two.dump}"}.each do |name, rest|
      in_directory do |directory|
        result = by_hand("#{one}; #{rest}", name, directory)
        assert_equal [0, ""], [result.code, result.err]
        labels = Rperf.load(File.join(directory, name))[:samples].flat_map { |frames,| frames.map(&:label) }
        assert_empty %w[Object#one Object#two] - labels
      end
    end
  end

  def test_set_up_by_hand_what_was_before_exec_is_lost_with_a_word
    in_directory do |directory|
      result = by_hand("begin; exec '/no/such'; rescue SystemCallError; end; exit 3", "hand.txt", directory)
      assert_equal [3, "rperf: '#{directory}/hand.txt' has nothing of before the process called exec: name a file in pprof or JSON, " \
                       "to which more can be added\n"], [result.code, result.err]
    end
  end

  private

  def by_hand(code, output, directory)
    env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => output, "RUBYLIB" => Paths::LIB, "RUBYOPT" => "-rrperf/autostart"}
    run_program(RUBY, "-e", code, directory:, env:)
  end

  def milliseconds(lines, name)
    lines.find { |line| line.end_with?(name) }[/([\d,.]+) ms/, 1].delete(",").to_f
  end
end
