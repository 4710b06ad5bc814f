# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"
require "rperf/cli"
require "rperf/run_directory"

# Trees of processes: each Ruby of them is profiled, and the profiles are one.
class ProcessesTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # For the programs, and for those that they start.
  BURNING = "require #{SpentTime::BURNING.dump}; ".freeze
  PRELUDE = "#{BURNING}BURNING = #{BURNING.dump}; def busy = Burning.burn(0.1)\n".freeze

  # The result, and the data that Rperf.load reads back (nil without a profile).
  def record(code, *options)
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + code)
      result = rperf("record", "-o", "p.json", *options, "ruby", "program.rb", directory:)
      path = File.join(directory, "p.json")
      [result, (Rperf.load(path) if File.exist?(path))]
    end
  end

  # Names of the functions by process number.
  def functions_by_pid(data)
    data[:samples].group_by { |sample| process_of(data, sample).fetch(:pid) }
      .transform_values { |samples| samples.flat_map(&:first).map { |frame| frame[1] }.uniq }
  end

  def test_a_single_process_is_known_by_its_command
    result, data = record("print Process.pid, ' ', Process.ppid; busy")
    refute_match(/processes/, result.err)
    pid, ppid = result.out.split.map(&:to_i)
    assert_equal [{pid:, ppid:, command: "ruby program.rb"}], data[:processes]
  end

  # Titles have numbers, as Puma's workers have: another recording has others.
  def test_workers_have_their_titles_in_exports_and_are_compared_by_them
    workers = '2.times.map { |number| fork { $0 = "puma: cluster worker #{number}: #{Process.ppid} [shop]"; busy } }.each { |pid| Process.wait(pid) }'
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + workers)
      %w[a.json b.json].each { |name| rperf("record", "-o", name, "ruby", "program.rb", directory:) }
      titles = Rperf.load(File.join(directory, "a.json"))[:processes].filter_map { |process| process[:command] if process[:command].start_with?("puma") }
      assert_equal 2, titles.length
      %w[markdown speedscope].each do |format|
        text = rperf("convert", "--format", format, "a.json", "-", directory:).out
        titles.each { |title| assert_includes text, title, format }
      end
      compared = rperf("diff", "--by", "process", "a.json", "b.json", directory:).out.lines.grep(/cluster/).map { |line| line.split("  ").last.chomp }
      assert_equal ["puma: cluster worker 0: [shop]", "puma: cluster worker 1: [shop]"], compared.sort
    end
  end

  def test_forked_children
    result, data = record(<<~RUBY)
      def in_child = busy
      def in_parent = busy
      children = 2.times.map { fork { in_child } }
      in_parent
      children.each { |pid| Process.wait(pid) }
      puts [Process.pid, *children].join(" ")
    RUBY
    parent, *children = result.out.split.map(&:to_i)
    assert_match(/, 3 processes[,;]/, result.err)
    functions = functions_by_pid(data)
    assert_equal [parent, *children].sort, functions.keys.sort
    assert_equal [parent] * 2, data[:processes].filter_map { |process| process[:ppid] if children.include?(process[:pid]) }
    children.each do |pid|
      assert_includes functions[pid], "Object#in_child"
      refute_includes functions[pid], "Object#in_parent"
    end
    assert_includes functions[parent], "Object#in_parent"
    refute_includes functions[parent], "Object#in_child"
  end

  # A child goes on in the blocks of its parent; so does a process whose exec has failed.
  def test_labels_go_on_in_a_child_and_where_exec_fails
    fork, exec = "(pid = fork) && Process.wait(pid)", "begin; exec '/no/such/program'; rescue SystemCallError; end"
    {fork => 2, exec => 1, "#{exec}; #{fork}; #{exec}" => 2}.each do |turn, processes|
      _result, data = record(<<~RUBY)
        Rperf.label(all: "all")
        Rperf.label(outer: "o") do
          Rperf.work("import") do
            Rperf.label(outer: nil, inner: "i") { #{turn}; busy }
            busy
          end
          busy
        end
        busy
      RUBY
      kept = data[:samples].group_by { |sample| data[:label_sets][sample[3]].values_at(:all, :job, :outer, :inner) }
      [["all", "import", nil, "i"], ["all", "import", "o", nil], ["all", nil, "o", nil], ["all", nil, nil, nil]].each do |labels|
        assert_in_delta processes * 0.1, kept.fetch(labels, []).sum { |sample| sample[1] } / 1e9, 0.05, "#{turn} #{labels}"
      end
    end
  end

  def test_grandchildren_and_forks_from_threads
    result, data = record(<<~RUBY)
      def deep = busy
      Thread.new { Process.wait(fork { Process.wait(fork { deep }) }) }.join
    RUBY
    assert_match(/, 3 processes/, result.err)
    assert_equal 1, functions_by_pid(data).count { |_pid, names| names.include?("Object#deep") }
  end

  def test_spawned_rubies_system_and_backticks
    result, data = record(<<~'RUBY')
      code = "#{BURNING}def in_%s = Burning.burn(0.1); in_%s"
      system("ruby", "-e", format(code, "system", "system"))
      `ruby -e '#{format(code, "backtick", "backtick")}'`
      Process.wait(spawn("ruby", "-e", format(code, "spawn", "spawn")))
    RUBY
    assert_match(/, 4 processes/, result.err)
    names = data[:samples].flat_map(&:first).map { |frame| frame[1] }.uniq
    %w[Object#in_system Object#in_backtick Object#in_spawn].each { |name| assert_includes names, name }
  end

  def test_without_inheritance_only_the_first_process_counts
    result, data = record(<<~RUBY, "--no-inherit")
      def in_child = busy
      Process.wait(fork { in_child })
      system("ruby", "-e", "def in_system = sleep(0.01); in_system")
      def in_parent = busy
      in_parent
    RUBY
    refute_match(/processes/, result.err)
    names = data[:samples].flat_map(&:first).map { |frame| frame[1] }
    assert_includes names, "Object#in_parent"
    refute_includes names, "Object#in_child"
    refute_includes names, "Object#in_system"
  end

  def test_children_that_end_by_exec_and_exit_bang
    result, data = record(<<~RUBY)
      def before_exec = busy
      def before_exit = busy
      [fork { before_exec; exec("true") }, fork { before_exit; exit! }].each { |pid| Process.wait(pid) }
    RUBY
    assert_match(/\Arperf: wrote p\.json: .*, 3 processes[,;]/, result.err)
    names = functions_by_pid(data).values.flatten
    assert_includes names, "Object#before_exec"
    assert_includes names, "Object#before_exit"
  end

  def test_without_inheritance_a_child_whose_exec_fails_is_not_profiled
    result, data = record(<<~RUBY, "--no-inherit")
      def in_child = busy
      pid = fork do
        exec("/no/such")
      rescue SystemCallError
        in_child
      end
      Process.wait(pid)
      busy
    RUBY
    assert_match(/\Arperf: wrote/, result.err)
    refute_includes data[:samples].flat_map(&:first).map { |frame| frame[1] }, "Object#in_child"
  end

  def test_a_child_that_is_killed_is_named
    result, data = record("pid = fork { Process.kill(:KILL, $$); sleep }; Process.wait(pid); print pid; busy")
    assert_match(/\Arperf: process #{result.out} left no profile: ended by SIGKILL, a crash or _exit, or could not write it\nrperf: wrote /, result.err)
    refute_nil data
  end

  # Ruby ends it by _exit, without what runs at an end.
  def test_the_block_of_popen_is_named
    result, data = record("IO.popen('-') { |child| child ? child.read : busy }; busy")
    assert_match(/\Arperf: process \d+ left no profile: ended by SIGKILL, a crash or _exit, or could not write it\nrperf: wrote /, result.err)
    refute_nil data
  end

  def test_many_children_without_profiles_are_one_sentence
    result, = record("5.times { fork { Process.kill(:KILL, $$); sleep } }; Process.waitall; busy")
    assert_match(/\Arperf: 5 processes \(\d+, \d+, \d+, \.\.\.\) left no profile: ended by SIGKILL.*\nrperf: wrote /, result.err)
  end

  def test_labels_beyond_the_limit_are_counted
    in_directory do |directory|
      code = "10_050.times { |number| Rperf.label(request: number) { nil } }"
      result = rperf("record", "-v", "ruby", "-rrperf", "-e", code, directory:)
      assert_match(/^\[rperf\] labels: 51 labellings beyond the limit/, result.err)
    end
  end

  def test_exec_of_another_ruby
    result, data = record(%q(busy; exec("ruby", "-e", BURNING + "def after = Burning.burn(0.1); after; exit 5")))
    assert_equal 5, result.code, result.inspect
    names = data[:samples].flat_map(&:first).map { |frame| frame[1] }
    assert_includes names, "Object#busy"
    assert_includes names, "Object#after"
    refute_match(/processes/, result.err)
    assert_equal 1, data[:processes].map { |process| process[:pid] }.uniq.length, "it is one process"
    commands = data[:processes].map { |process| process[:command] }
    assert_equal "ruby program.rb", commands.first
    assert_match(/\Aruby -e /, commands.last)
  end

  def test_exec_of_a_ruby_that_is_killed
    result, = record(%q(busy; exec("ruby", "-e", "Process.kill(:KILL, $$); sleep")))
    assert_match(/\Arperf: process \d+ left no profile: ended by SIGKILL, a crash or _exit, or could not write it\nrperf: wrote /, result.err)
  end

  # At one tick a second most programs end before the first one.
  def test_what_runs_without_a_tick_is_counted
    in_directory do |directory|
      code = "finish = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.1; " \
             "nil until Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > finish"
      assert_equal 0, rperf("record", "-f", "1", "-o", "p.json", "ruby", "-e", code, directory:).code
      data = Rperf.load(File.join(directory, "p.json"))
      sampled = data[:samples].sum { |sample| sample[1] }
      dropped = data[:dropped].sum { |_cause, drop| drop[:weight_ns] }
      assert_operator sampled + dropped, :>, 80_000_000, data.inspect
    end
  end

  # It may not write into the directory of another user.
  def test_a_process_that_gives_up_its_rights
    in_directory do |directory|
      result = rperf("record", "ruby", "-e", "Process::Sys.setuid(65_534); exit 3", directory:)
      assert_equal 3, result.code
      assert_match(/\Arperf: process \d+ left no profile: ended by SIGKILL, a crash or _exit, or could not write it\n\z/, result.err)
    end
  end if Process.uid.zero?

  def test_a_daemon_outlives_rperf_and_nobody_minds
    in_directory do |directory|
      write_file(directory, "daemon.rb", <<~RUBY)
        #{PRELUDE}
        busy
        Process.daemon(true, true)
        File.write("daemon.pid", Process.pid)
        finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
        sleep 0.01 until File.exist?("go") || Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
        at_exit { File.write("done", "1") }
      RUBY
      temporary = File.join(directory, "tmp")
      Dir.mkdir(temporary)
      result = rperf("record", "-o", "p.json", "ruby", "daemon.rb", directory:, env: {"TMPDIR" => temporary})
      assert_equal 0, result.code, result.inspect
      assert_includes Rperf.load(File.join(directory, "p.json"))[:samples].flat_map(&:first).map { |frame| frame[1] }, "Object#busy"
      assert_empty Dir.children(temporary)
      File.write(File.join(directory, "go"), "")
      await("the file done") { File.exist?(File.join(directory, "done")) }
      pid = File.read(File.join(directory, "daemon.pid")).to_i
      await("the end of the process") { Rperf::RunDirectory.gone?(pid) }
      assert_empty Dir.children(temporary), "the daemon leaves nothing behind either"
    end
  end

  DAEMON = <<~RUBY
    Process.daemon(true, true)
    File.write("daemon.new", Process.pid)
    File.rename("daemon.new", "daemon.pid")
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    40_000.times { |number| number.to_s } until File.exist?("go") || Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
  RUBY

  # The command has ended before the daemon begins.
  BEGINS_LATE = <<~RUBY
    require "rperf/run_directory"
    Rperf.labels # Loads all of rperf.
    before = Process.pid
    Rperf::ProfiledProcess.singleton_class.prepend(Module.new {
      define_method(:resume) do |**how|
        Thread.pass until Rperf::RunDirectory.gone?(before)
        super(**how)
      end
    })
  RUBY

  def test_a_daemon_that_begins_late_is_named
    in_directory do |directory|
      write_file(directory, "daemon.rb", BEGINS_LATE + DAEMON)
      result = rperf("record", "-o", "p.json", "ruby", "daemon.rb", directory:)
      assert_equal 0, result.code, result.inspect
      await("the daemon") { File.exist?(File.join(directory, "daemon.pid")) }
      assert_match(/^rperf: process #{end_daemon(directory)} left no profile: still running; /, result.err)
    end
  end

  def test_without_inheritance_a_daemon_is_not_profiled
    result, data = record(<<~RUBY, "--no-inherit")
      def before = busy
      before
      Process.daemon(true, true)
    RUBY
    assert_match(/\Arperf: wrote p\.json: [^\n]*\n\z/, result.err)
    assert_includes data[:samples].flat_map(&:first).map(&:label), "Object#before"
  end

  def test_one_that_fails_goes_on
    result, data = record(<<~RUBY)
      def daemon_fails = Process.daemon(1, 2, 3)
      def goes_on = busy
      begin
        daemon_fails
      rescue ArgumentError
        goes_on
      end
    RUBY
    assert_match(/\Arperf: wrote p\.json: /, result.err)
    assert_includes data[:samples].flat_map(&:first).map(&:label), "Object#goes_on"
  end

  # What the remark about a daemon says is what works.
  def test_a_daemons_own_profile
    in_directory do |directory|
      write_file(directory, "daemon.rb", DAEMON)
      wait = "ruby daemon.rb; while [ ! -e daemon.pid ]; do sleep 0.05; done"
      remark = rperf("record", "-o", "p.json", "sh", "-c", wait, directory:).err.lines.grep(/left no profile/).join
      pid = end_daemon(directory)
      assert_match(/\Arperf: process #{pid} left no profile: still running; keep it in the foreground, or start it without rperf, as RPERF_/, remark)
      library = {"RUBYLIB" => Paths::LIB}
      run_program("sh", "-c", remark[/as (RPERF_.*) COMMAND/, 1] + " " + wait, directory:, env: library)
      data = Rperf.load(File.join(directory, "rperf.#{end_daemon(directory)}.data"))
      assert_includes data[:samples].flat_map(&:first).map(&:label), "Integer#times"
    end
  end

  # Returns the number that the daemon had.
  def end_daemon(directory)
    File.write(File.join(directory, "go"), "")
    pid = File.read(File.join(directory, "daemon.pid")).to_i
    await("the end of the process") { Rperf::RunDirectory.gone?(pid) }
    %w[go daemon.pid].each { |name| File.delete(File.join(directory, name)) }
    pid
  end

  def test_stat_has_a_line_for_the_processes
    in_directory do |directory|
      result = rperf("stat", "ruby", "-e", "2.times { fork { 1 } }; Process.waitall", directory:)
      assert_match(/^ +3 +\[OS\] processes$/, result.err)
    end
  end

  # As `time` does.
  def test_stat_counts_the_processor_time_of_other_programs_too
    in_directory do |directory|
      loops = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
      code = "system('sh', '-c', #{loops.inspect}); print Process.times.cutime * 1000"
      result = rperf("stat", "ruby", "-e", code, directory:)
      assert_operator milliseconds(result, "user"), :>=, Float(result.out), result.inspect
    end
  end

  def test_stat_counts_the_time_after_the_last_ruby
    in_directory do |directory|
      result = rperf("stat", "sh", "-c", "ruby -e 1; sleep 1", directory:)
      assert_operator milliseconds(result, "real"), :>=, 1000, result.inspect
    end
  end

  def test_nothing_is_left_in_the_temporary_directory
    in_directory do |directory|
      temporary = File.join(directory, "tmp")
      Dir.mkdir(temporary)
      ["fork { 1 }; Process.waitall", "exit!", "fork { exit! }; Process.waitall", "Process.kill(:KILL, $$); sleep",
       "fork { Process.kill(:KILL, Process.ppid); 1 }; sleep", "exec('true')"].each do |code|
        rperf("record", "ruby", "-e", code, directory:, env: {"TMPDIR" => temporary})
        assert_empty Dir.children(temporary), code
      end
    end
  end

  def test_rperf_inside_of_rperf
    in_directory do |directory|
      inner = [RUBY, RPERF, "record", "-o", "inner.collapsed", "ruby", "-e", "3_000_000.times { |i| i * i }"]
      result = rperf("record", "-o", "outer.collapsed", *inner, directory:)
      assert_equal 0, result.code, result.inspect
      assert_includes File.read(File.join(directory, "inner.collapsed")), "Integer#times"
      refute_empty File.read(File.join(directory, "outer.collapsed"))
    end
  end

  private

  # The row of `rperf stat` with this name.
  def milliseconds(result, name) = result.err[/^ *([\d,.]+) ms +#{name}$/, 1].delete(",").to_f
end
