# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"

# However a program ends: its exit status or signal goes through, and the profile is written where
# it can be.
class EndingsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  WORK = "require #{SpentTime::BURNING.dump}; def busy = Burning.burn(0.05); busy; "

  # Runs the code under `rperf record`; yields the result and the profile's functions (nil without a
  # profile).
  def record(code, *options)
    in_directory do |directory|
      result = rperf("record", "-o", "p.collapsed", *options, "ruby", "-e", WORK + code, directory:)
      path = File.join(directory, "p.collapsed")
      profile = File.read(path) if File.exist?(path)
      assert_empty Dir.children(directory) - %w[p.collapsed .stdout .stderr]
      yield result, profile
    end
  end

  def assert_profiled(result, profile)
    refute_nil profile, result.inspect
    assert_includes profile, "Object#busy", result.inspect
    assert_match(/^rperf: wrote p\.collapsed: /, result.err)
  end

  {
    "an end" => ["puts 1", 0], "exit 0" => ["exit", 0], "exit 7" => ["exit 7", 7], "exit 255" => ["exit 255", 255],
    "exit false" => ["exit false", 1], "abort" => ["abort", 1], "exit in a thread" => ["Thread.new { exit 5 }.join", 5],
    "exit in at_exit" => ["at_exit { exit 6 }", 6], "an exception" => ["raise ArgumentError", 1],
    "an exception in at_exit" => ["at_exit { raise 'x' }", 1], "SystemExit" => ["raise SystemExit.new(9)", 9],
    "exit in ensure" => ["begin; raise 'x'; ensure; exit 4; end", 4]
  }.each do |name, (code, status)|
    define_method("test_#{name.tr(" ", "_")}_is_profiled_and_passes_its_status") do
      record(code) do |result, profile|
        assert_equal status, result.code, result.inspect
        assert_profiled result, profile
      end
    end
  end

  def test_messages_of_the_end_stay
    record("warn 'one'; abort 'two'") { |result,| assert_match(/\Aone\ntwo\nrperf: wrote /, result.err) }
    record("raise ArgumentError, 'oh'") do |result,|
      assert_match(/\A-e:1:in '<main>': oh \(ArgumentError\)\nrperf: wrote /, result.err)
    end
  end

  # Seconds of CPU time. rperf takes less than 0.1, and each time that it gives up the GVL, the four
  # threads take 0.4.
  AFTER_THE_PROGRAM = 0.3

  def test_threads_that_compute_do_not_go_on_while_the_profile_is_written
    code = <<~RUBY
      at_exit { print Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
      begun = Queue.new
      4.times { Thread.new { begun << true; loop { } } }
      4.times { begun.pop }
    RUBY
    [%w[RPERF_SESSION_DIR .], %w[RPERF_OUTPUT p.json], %w[RPERF_OUTPUT p.pb.gz]].each do |variable, name|
      in_directory do |directory|
        env = {"RPERF_ENABLED" => "1", "RPERF_INHERIT" => "1", variable => File.join(directory, name), "RUBYOPT" => "-r#{ROOT}/lib/rperf/autostart"}
        before = Process.times
        result = run_program(RUBY, "-e", code, directory:, env:)
        after = Process.times
        whole = after.cutime + after.cstime - before.cutime - before.cstime
        assert_in_delta Float(result.out), whole, AFTER_THE_PROGRAM, [name, result.err]
        assert_equal 1, Dir.glob("*.{json,gz}", base: directory).length
      end
    end
  end

  # At 3 Hz there are one to three ticks in 0.7 s, and what is left after the last one is a quarter
  # in the mean.
  CHARGED_AT_LEAST = 0.9

  # On a busy machine all ticks of a run may come while the program waits for a processor.
  def test_time_after_the_last_tick_is_charged
    runs = Array.new(4) { seldom_ticked("def busy = Burning.burn(0.7); print busy.ns") }
    ticked = runs.select { |_, charged| charged.positive? }
    refute_empty ticked
    used, charged = ticked.transpose.map(&:sum)
    assert_operator charged, :>=, used * CHARGED_AT_LEAST
  end

  # What the code printed, and the time in its `busy`: none where no tick came to it, whose time was
  # dropped, or went to what the last tick before had met.
  def seldom_ticked(code)
    in_directory do |directory|
      result = rperf("record", "-f", "3", "-o", "p.json", "ruby", "-r", SpentTime::BURNING, "-e", code, directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      samples = data[:samples].select { |frames,| frames.any? { |frame| frame[1] == "Object#busy" } }
      all = data[:samples].sum { |sample| sample[1] } + data[:dropped].dig("no tick", :weight_ns).to_i
      assert_operator all, :>=, Integer(result.out) * CHARGED_AT_LEAST
      [Integer(result.out), samples.sum { |sample| sample[1] }]
    end
  end

  def test_handlers_of_the_program_run_before_and_are_profiled
    record("def late = busy; at_exit { late; puts 'late' }") do |result, profile|
      assert_equal "late\n", result.out
      assert_includes profile, "Object#late;Object#busy"
    end
  end

  # Ticks in it would have the program's last time.
  def test_what_rperf_asks_ruby_for_at_the_end_is_no_time_of_the_program
    record("GC.singleton_class.prepend(Module.new { def stat(...) = (Burning.burn(0.1); super) })") do |result, profile|
      assert_profiled result, profile
      refute_match(/stat/, profile)
    end
  end

  %w[TERM INT HUP].each do |name|
    define_method("test_a_program_that_#{name}_ends_is_profiled_and_the_signal_repeated") do
      record("Process.kill(:#{name}, $$); sleep 30") do |result, profile|
        assert_equal name, result.signal, result.inspect
        assert_profiled result, profile
      end
    end
  end

  def test_a_signal_that_the_program_handles_is_its_own_business
    record("trap(:TERM) { puts 'term'; exit 3 }; Process.kill(:TERM, $$); sleep 30") do |result, profile|
      assert_equal [3, "term\n"], [result.code, result.out], result.inspect
      assert_profiled result, profile
    end
  end

  %w[KILL ABRT SEGV].each do |name|
    define_method("test_a_program_that_#{name}_ends_leaves_no_profile_and_rperf_says_so") do
      record("Process.setrlimit(:CORE, 0); Process.kill(:#{name}, $$); sleep 30") do |result, profile|
        # A SEGV ends Ruby by ABRT, after its own report.
        assert_includes({"SEGV" => %w[ABRT SEGV]}.fetch(name, [name]), result.signal, result.err[-500..])
        assert_nil profile
        assert_match(/^rperf: process \d+ left no profile: ended by SIGKILL, a crash or _exit, or could not write it\n\z/, result.err)
      end
    end
  end

  # Each of these ends the process without its at_exit handlers.
  {
    "exit!" => 1, "exit!(0)" => 0, "Process.exit!(8)" => 8, "Kernel.exit!(7)" => 7, "Thread.new { exit!(5) }.join" => 5,
    "trap(:TERM) { exit!(3) }; Process.kill(:TERM, $$); sleep 30" => 3,
    "exec '/bin/sh', '-c', 'exit 9'" => 9, "Process.exec 'exit 10'" => 10, "Kernel.exec({'A' => '11'}, 'exit $A')" => 11,
    "Dir.chdir('/'); exec '/bin/sh', '-c', 'kill -TERM $$'" => nil
  }.each do |code, status|
    define_method("test_#{code}_is_profiled") do
      record("at_exit { print 'handled' }; #{code}") do |result, profile|
        assert_equal [status, ""], [result.code, result.out], result.inspect
        assert_equal "TERM", result.signal unless status
        assert_profiled result, profile
        refute_match(/ProcessHooks|ProfiledProcess/, profile)
      end
    end
  end

  # Prints what the program sees of calls that fail.
  FAILING = <<~'RUBY'
    def attempt = yield
    # fork writes what waits in $stdout and $stderr.
    def full
      $stdout = File.open("/dev/full", "w").tap { |file| file.write("x") }
      yield
    ensure
      $stdout = STDOUT
    end
    def closed
      $stderr = File.open("/dev/null", "w").tap(&:close)
      yield
    ensure
      $stderr = STDERR
    end
    [-> { exec("/no/such") }, -> { Process.exec("/no/such") }, -> { exec("/no/such", 1) }, -> { Object.new.exec("x") },
     -> { exec }, -> { exit!("x") }, -> { Kernel.exit!(1, 2) }, -> { Process.daemon(1, 2, 3) },
     -> { full { fork } }, -> { full { Process.fork { 1 } } }, -> { full { IO.popen("-") } }, -> { closed { fork } }].each do |call|
      attempt(&call)
    rescue SystemCallError, IOError, TypeError, NoMethodError, ArgumentError => error
      puts error.class, error.message, error.backtrace, error.backtrace_locations.length
    end
  RUBY

  def test_an_ending_that_fails_looks_the_same_and_profiling_goes_on
    in_directory do |directory|
      write_file(directory, "failing.rb", "#{FAILING}#{WORK}exit 4")
      plain = run_program(RUBY, "failing.rb", directory:)
      result = rperf("record", "-o", "p.collapsed", "ruby", "failing.rb", directory:)
      assert_equal [plain.out, 4], [result.out, result.code], result.inspect
      assert_match(/Errno::ENOENT.*TypeError.*NoMethodError.*ArgumentError.*Errno::ENOSPC.*IOError/m, plain.out)
      assert_profiled result, File.read(File.join(directory, "p.collapsed"))
    end
  end

  def test_an_old_profile_is_not_touched_when_none_is_written
    in_directory do |directory|
      write_file(directory, "p.txt", "old")
      rperf("record", "-o", "p.txt", "ruby", "-e", "Process.kill(:KILL, $$); sleep 30", directory:)
      assert_equal "old", File.read(File.join(directory, "p.txt"))
    end
  end

  # It asks for safepoints, of a VM that goes away: half of such programs crashed.
  def test_a_session_at_safepoints_that_nothing_stops
    code = <<~RUBY
      children = Array.new(20) { fork { Rperf.start(signal: false, frequency: 10_000) } }
      p children.map { |pid| Process.wait2(pid).last }.reject(&:success?)
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_equal ["[]\n", "", 0], [result.out, result.err, result.code]
    end
  end

  # The thread has waited since before its first tick.
  def test_a_wait_that_goes_on_at_the_end_has_its_stack
    code = "def take(queue) = queue.pop; taker = Thread.new { take(Queue.new) }; Thread.pass until taker.stop?; sleep 0.1"
    [[], %w[--signal none]].each do |engine|
      in_directory do |directory|
        rperf("record", "-m", "wall", *engine, "-o", "p.json", "ruby", "-e", code, directory:)
        stacks = rperf("report", "--idle", "--traces", "--focus", "GVL blocked", "p.json", directory:).out
        assert_match(/ms +\[GVL blocked\]\n +Thread::Queue#pop\n +Object#take\n +block in <main>\n/, stacks, engine.inspect)
      end
    end
  end
end
