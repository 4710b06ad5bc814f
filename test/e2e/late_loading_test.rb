# frozen_string_literal: true

require "fileutils"
require_relative "../support/program"
require_relative "../support/spent_time"

# What is loaded when a program ends or forks: whatever the program has done by then, its status,
# its children and its pace are its own.
class LateLoadingTest < Minitest::Test
  include ProgramSupport

  WORK = "require #{SpentTime::BURNING.dump}; def busy = Burning.burn(0.05); busy; "
  COMPUTING = 6
  # Seconds. Each time that a thread gives up the GVL it waits for a slice of 0.1 s of each that
  # computes; a file that Ruby loads costs several times that: 25 files took 15 s and more.
  AT_MOST = 6.0

  # Yields the result and the profile's functions (nil without a profile).
  def record(code, *options, ruby: [], command: [])
    in_directory do |directory|
      result = rperf("record", "-o", "p.collapsed", *options, *command, "ruby", *ruby, "-e", WORK + code, directory:)
      path = File.join(directory, "p.collapsed")
      yield result, (File.read(path) if File.exist?(path))
    end
  end

  def test_the_end_and_a_fork_beside_threads_that_compute
    code = <<~RUBY
      #{COMPUTING}.times { Thread.new { loop { busy } } }
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      begun = now.()
      Process.wait(fork { exit! })
      puts now.() - begun
    RUBY
    record(code) do |result, profile|
      assert_equal 0, result.code, result.err
      assert_operator result.out.to_f, :<, AT_MOST, "the fork"
      assert_includes profile, "Object#busy"
    end
    before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    record(code.lines.first) { |result, profile| assert_equal [0, true], [result.code, profile.include?("Object#busy")] }
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - before, :<, AT_MOST, "the end"
  end

  # Each of these is documented to be required without rperf.
  FILES = %w[minitest rspec agent recorder control open_telemetry middleware viewer endpoints].freeze

  def test_a_file_that_is_required_instead_of_rperf_knows_the_session
    FILES.each do |file|
      record("require 'rperf/#{file}'; busy; print Rperf.snapshot[:mode]") do |result, profile|
        assert_equal [0, "cpu"], [result.code, result.out], [file, result.err].inspect
        assert_includes profile, "Object#busy"
      end
    end
  end

  def test_a_session_is_as_old_as_it_is_when_rperf_is_loaded_later
    record("3.times { busy }; require 'rperf'; print Rperf::Recording.status[:seconds]") do |result, _profile|
      assert_operator Float(result.out), :>=, 0.2, result.err
    end
  end

  def test_a_file_that_is_required_instead_of_rperf_has_the_api
    in_directory do |directory|
      FILES.each do |file|
        code = "require 'rperf/#{file}'; print Rperf.work('a') { Rperf.running? }"
        result = run_program(RUBY, "-I", Paths::LIB, "-e", code, directory:)
        assert_equal "false", result.out, [file, result.err].inspect
      end
    end
  end

  def test_gates_in_a_profiled_suite
    record("require 'rperf/minitest'; include Rperf::Assertions; def assert(*) = nil; print assert_cpu_time_below(60) { busy; 5 }") do |result, profile|
      assert_equal [0, "5"], [result.code, result.out], result.err
      assert_includes profile, "Object#busy"
    end
  end

  # A deployment removes the gem while the server runs.
  def test_files_that_are_gone
    in_directory do |directory|
      FileUtils.cp_r(Paths::LIB, directory)
      code = "#{WORK}require 'fileutils'; FileUtils.rm_rf('lib'); Process.wait(fork { busy; exit!(3) }); p $?.exitstatus; exit 4"
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "p.json", "RUBYLIB" => File.join(directory, "lib"), "RUBYOPT" => "-rrperf/autostart"}
      result = run_program(RUBY, "-e", code, directory:, env:)
      assert_equal ["3\n", "", 4], [result.out, result.err, result.code]
      profiles = Dir[File.join(directory, "p*.json")].map { |path| Rperf.load(path) }
      assert_equal [2, true], [profiles.length, profiles.all? { |data| data[:samples].any? { |frames,| frames.any? { |frame| frame.label == "Object#busy" } } }]
    end
  end

  # Without RubyGems, what loads rperf before the program has no file.
  def test_without_rubygems
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "p.json", "RUBYLIB" => Paths::LIB, "RUBYOPT" => "-rrperf"}
      result = run_program(RUBY, "--disable-gems", "-e", "p require('rperf'); exit 4", directory:, env:)
      assert_equal ["true\n", "", 4], [result.out, result.err, result.code]
      assert_path_exists File.join(directory, "p.json")
    end
  end

  def test_no_file_descriptors
    record("open = []; begin; loop { open << File.open(File::NULL) }; rescue Errno::EMFILE; end; Process.wait(fork { exit!(3) }); p $?.exitstatus; open.each(&:close); exit 4",
      command: ["/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"]) do |result, profile|
      assert_equal ["3\n", 4], [result.out, result.code], result.err
      assert_includes profile, "Object#busy"
    end
  end

  # It has leaked them all. The hard limit is higher, as most systems set it.
  def test_a_program_without_file_descriptors_to_its_end
    code = "$open = []; begin; loop { $open << File.open(File::NULL) }; rescue Errno::EMFILE; end; at_exit { print Process.getrlimit(:NOFILE).first }"
    record("#{code}; exit 4", command: ["/bin/sh", "-c", "ulimit -S -n 64; exec \"$@\"", "sh"]) do |result, profile|
      assert_equal ["64", 4], [result.out, result.code], result.err
      assert_includes profile, "Object#busy"
    end
  end

  # None is free to its end, and no more are allowed, so there is no profile either. Each call needs
  # another part of rperf.
  def test_a_program_without_file_descriptors_that_begins_a_session_goes_on
    calls = '[{mode: :cpu, verbose: true}, {mode: :alloc}, {inherit: true}, {output: "q.json"}].each { |options| begin; Rperf.start(**options); ' \
            'p Rperf.stop; rescue => error; puts "#{error.class}: #{error.message}"; end }; exit 4'
    record("$open = []; begin; loop { $open << File.open(File::NULL) }; rescue Errno::EMFILE; end; Rperf.stop; #{calls}",
      command: ["/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"]) do |result,|
      assert_equal [4, 4], [result.code, result.out.lines.length], result.inspect
      reason = Regexp.escape("no file descriptor is free; close files or sockets, or raise the limit (ulimit -n)")
      result.out.each_line { |line| assert_match(/\ARperf::Error: cannot (load|write) '.+': #{reason}\n\z/, line) }
    end
  end

  def test_a_program_that_changes_what_rperf_needs
    record("def Array(*) = 1; exit 5") do |result,|
      assert_equal ["", 5], [result.out, result.code]
      assert_match(/\Arperf: process \d+ could not be profiled: [^\n]+\n\z/, result.err)
    end
    record("RubyVM::InstructionSequence.define_singleton_method(:compile) { |*| raise 'no' }; Process.wait(fork { exit!(3) }); p $?.exitstatus; exit 5") do |result,|
      assert_equal ["3\n", 5], [result.out, result.code]
      assert_match(/^rperf: 2 processes \(\d+, \d+\) could not be profiled: RuntimeError: no$/, result.err)
    end
    record("class << Thread; def handle_interrupt(*) = raise('no'); end; Process.wait(fork { exit!(3) }); p $?.exitstatus; exit 5") do |result,|
      assert_equal ["3\n", 5], [result.out, result.code]
      assert_match(/^rperf: 2 processes \(\d+, \d+\) could not be profiled: RuntimeError: no$/, result.err)
    end
  end

  # As the main program of a script has them: they are private methods of all objects.
  def test_methods_of_the_program_that_have_names_of_ruby_s
    code = "def hash(text) = text.sum; def lambda(x) = x; def rand(n) = n; Process.wait(fork { exit!(3) }); p $?.exitstatus; exit 5"
    [[], %w[-m heap]].each do |options|
      record(code, *options) do |result, profile|
        assert_equal ["3\n", 5], [result.out, result.code], result.err
        assert_match(/\Arperf: wrote .*, 2 processes.*\n\z/, result.err)
        refute_nil profile
      end
    end
  end

  def test_what_cannot_be_loaded_is_told_once
    code = "class String; def +(other) = raise('mine'); end; 2.times { Process.wait(fork { exit!(3) }) }; p $?.exitstatus; exit 5"
    record(code) do |result,|
      assert_equal ["3\n", 5], [result.out, result.code]
      assert_match(/\Arperf: 3 processes \(\d+, \d+, \d+\) could not be profiled: RuntimeError: mine\n\z/, result.err)
    end
    in_directory do |directory|
      result = run_program(RUBY, "-r#{ROOT}/lib/rperf/autostart", "-e", code, directory:, env: {"RPERF_ENABLED" => "1"})
      assert_equal ["3\n", "rperf: the program runs unprofiled: RuntimeError: mine\n", 5], [result.out, result.err, result.code]
    end
  end

  # With these options all of rperf is loaded before the program changes anything.
  def test_a_program_that_changes_what_a_child_s_session_needs
    [%w[-m heap], %w[--signal none]].each do |options|
      record("class Hash; def fetch(*) = raise('mine'); end; Process.wait(fork { exit!(3) }); p $?.exitstatus; exit 5", *options) do |result,|
        assert_equal ["3\n", 5], [result.out, result.code], result.err
        assert_match(/could not be profiled: RuntimeError: mine$/, result.err)
      end
    end
  end

  # A method outside of any class is one of every object's.
  def test_a_program_with_a_method_of_a_name_that_rperf_calls
    record("def trap(heights) = heights.sum; exit trap([2, 3])") do |result, profile|
      assert_equal 5, result.code
      assert_includes profile.to_s, "Object#busy", result.err
    end
  end

  def test_a_program_that_changes_what_rperf_measures
    ["def GC.total_time", "def GC.stat(*)", "def File.join(*)"].each do |method|
      record("#{method} = raise('mine'); exit 5") do |result,|
        assert_equal 5, result.code
        assert_match(/\Arperf: process \d+ could not be profiled: RuntimeError: mine\n\z/, result.err)
      end
    end
    ["def GC.stat(*)", "def Signal.trap(*)"].each do |method|
      assert_match(/\Arperf: the program runs unprofiled: RuntimeError: mine\n\z/, unprofiled("#{method} = raise('mine')"))
    end
    assert_empty unprofiled("def GC.stat(*) = raise('mine'); $stderr.close")
    record("def Process.pid = 1; busy") { |result, profile| assert_includes profile.to_s, "Object#busy", result.err }
  end

  def test_a_reason_is_one_line_of_some_length
    code = "class Array; def include?(*) = raise(IOError, 'x' * 1_000 + \"\\nmore\"); end"
    record(code) { |result,| assert_match(/\Arperf: process \d+ could not be profiled: IOError: x{491}\n\z/, result.err) }
    assert_equal "rperf: the program runs unprofiled: IOError: #{"x" * 491}\n", unprofiled(code)
    assert_equal "rperf: the program runs unprofiled: IOError: #{"x" * 491}\n", unprofiled("Rperf.labels; #{code}")
  end

  # What is on stderr of a program that is profiled without the command line and leaves no profile.
  def unprofiled(code)
    in_directory do |directory|
      result = run_program(RUBY, "-r#{ROOT}/lib/rperf/autostart", "-e", code, directory:, env: {"RPERF_ENABLED" => "1"})
      assert_equal 0, result.code, result.err
      result.err
    end
  end

  def test_a_child_whose_session_does_not_begin
    record("def is_a?(one, two, three) = 1; Process.wait(fork { exit!(3) }); exit $?.exitstatus", "-m", "heap") do |result,|
      assert_equal 3, result.code
      assert_includes result.err, "could not be profiled: "
      refute_includes result.err, "Rperf.stop"
    end
  end

  def test_a_ractor_that_ends_the_program
    record("Ractor.new { exit!(7) }; sleep", ruby: ["-W0"]) do |result,|
      assert_equal 7, result.code
      assert_match(/\Arperf: process \d+ left no profile: [^\n]+\n\z/, result.err)
    end
    record("Ractor.new { exec('/bin/echo', 'x') }; sleep", ruby: ["-W0"]) { |result,| assert_equal ["x\n", 0], [result.out, result.code] }
  end

  # As a test does that stubs them.
  def test_methods_that_do_not_end_the_program
    code = "%s; def other = Burning.burn(0.3); other"
    ["def Kernel.exec(*) = nil; Kernel.exec('x'); Kernel.singleton_class.remove_method(:exec)",
      "def Process.exit!(*) = nil; Process.exit!(3); Process.singleton_class.remove_method(:exit!)"].each do |stub|
      record(format(code, stub)) do |result, profile|
        assert_equal 0, result.code, result.err
        assert_includes profile, "Object#other", stub
      end
    end
  end

  # Of the API that no program has asked for by its name in a `require`.
  def test_units_of_work_without_a_require
    record("p Rperf.work('unit') { 7 }") { |result,| assert_equal ["7\n", 0], [result.out, result.code], result.err }
  end

  def test_another_list_of_threads
    record("def Thread.list = [1, nil, Object.new, Thread.current]; exit 4") do |result, profile|
      assert_equal 4, result.code, result.err
      assert_includes profile, "Object#busy"
    end
  end

  # Its handler of at_exit runs the tests.
  def test_a_library_of_the_command_line_that_runs_the_program_at_its_end
    in_directory do |directory|
      write_file(directory, "t.rb", "#{WORK}class T < Minitest::Test; def test_it = busy; end")
      result = rperf("record", "-o", "p.collapsed", "ruby", "-rminitest/autorun", "t.rb", directory:)
      assert_equal 0, result.code, result.err
      assert_match(/T#test_it;Object#busy/, File.read(File.join(directory, "p.collapsed")))
    end
  end

  # Objects, beside those of GC.stat in the program, and of what it runs itself at its end.
  OWN = 400

  def test_what_rperf_loads_is_not_counted_as_the_program_s
    in_directory do |directory|
      code = "a = GC.stat(:total_allocated_objects); 1000.times { Object.new }; at_exit { print GC.stat(:total_allocated_objects) - a }"
      [[], %w[-m alloc]].each do |options|
        result = rperf("stat", *options, "ruby", "-e", code, directory:)
        told = result.err[/([\d,]+) +\[Ruby\] allocated objects/, 1].delete(",").to_i
        assert_in_delta result.out.to_i, told, OWN, result.err
      end
    end
  end

  # rperf is loaded by the fork, and by the first call of its API.
  def test_what_a_running_program_makes_rperf_load_is_not_counted
    in_directory do |directory|
      figures = ["1", "Process.wait(fork { exit! })", "Rperf.running?"].map do |code|
        result = rperf("stat", "ruby", "-e", "GC.disable; #{code}; 1000.times { Object.new }", directory:)
        result.err[/([\d,]+) +\[Ruby\] allocated objects/, 1].delete(",").to_i
      end
      figures.each { |told| assert_in_delta figures.first, told, OWN, figures.inspect }
    end
  end
end
