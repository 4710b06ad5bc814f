# frozen_string_literal: true

require_relative "../support/program"

# What goes wrong is one sentence on stderr and an exit status.
class ErrorsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Runs rperf and expects one sentence, nothing on stdout, and no file.
  def assert_complains(status, sentence, *words, **options)
    in_directory do |directory|
      result = rperf(*words, directory:, **options)
      assert_equal [status, ""], [result.code, result.out], result.inspect
      assert_equal 1, result.err.lines.length, result.err
      assert_operator sentence, :===, result.err.chomp.delete_prefix("rperf: "), result.err
      assert_empty Dir.children(directory) - %w[.stdout .stderr]
    end
  end

  # /dev/full is Linux's disk without room.
  def test_stdout_on_a_full_disk
    in_directory do |directory|
      write_file(directory, "p.collapsed", "main;work 5000000\n")
      [%w[report --top], %w[report --collapsed]].each do |words|
        result = run_program("/bin/sh", "-c", %q(exec "$0" "$@" > /dev/full), RUBY, RPERF, *words, "p.collapsed", directory:)
        assert_equal [1, "rperf: cannot finish: No space left on device\n"], [result.code, result.err]
      end
    end
  end if RUBY_PLATFORM.include?("linux")

  def test_wrong_command_lines
    {
      %w[ruby app.rb] => "unknown command 'ruby'; to profile a program, put 'record' before it ('rperf help' lists them)",
      %w[recrod ruby] => "unknown command 'recrod'; did you mean 'record'? ('rperf help' lists them)",
      %w[-x] => "unknown option '-x'; a command comes first ('rperf help' lists them)",
      %w[record] => "no command was given: rperf record [options] command [args...]",
      %w[stat --] => "no command was given: rperf stat [options] command [args...]",
      %w[record -f 0 ruby] => "-f must be a whole number from 1 to 10000 (Hz), not 0",
      %w[record -f 10001 ruby] => "-f must be a whole number from 1 to 10000 (Hz), not 10001",
      %w[stop 1 -m both] => "-m must be cpu, wall, custom, alloc or heap, not 'both'",
      %w[recordings 1 -m cpu,alloc] => "-m must be cpu, wall, custom, alloc or heap, not 'cpu,alloc'",
      %w[recordings 1 -m cpu] => "--mode says which profile is taken, and none is: add -o PATH, or leave out --mode",
      %w[attach 1 --past -f 99] => "--frequency is for what is still to be recorded, and --past for what has been: leave out one of the two",
      %w[report --nodecount 3 a] => "--nodecount is for tables: add a view such as --top, or leave it out",
      %w[report --by thread --nodecount 3 a] => "--nodecount has no effect on --by: leave it out",
      %w[report --leaks --cum a] => "--sort (--cum) has no effect on --leaks: leave it out",
      %w[diff --peek a --nodefraction 0.1 a b] => "--nodefraction has no effect on --peek: leave it out",
      %w[push pyroscope+http://x a.json] => "the address of the store comes last: rperf push FILE... URL",
      %w[report --dot --cum a] => "--sort (--cum) is for tables: add a view such as --top, or leave it out",
      %w[attach 1 --format text] => "--format is for the file, and none is written: add -o PATH, or leave out --format",
      %w[attach 1 -o a.txt --top] => "--output writes all of the profile, and --top is for one that is looked at: leave out one of the two",
      %w[attach 1 -o a.txt --focus a] => "--output writes all of the profile, and --focus is for one that is looked at: leave out one of the two",
      %w[record -f x ruby] => '-f must be a whole number from 1 to 10000 (Hz), not "x"',
      %w[start 1 -f 5000] => "-f must be a whole number from 1 to 1000 (Hz), not 5000",
      %w[attach 1 -f 1001] => "-f must be a whole number from 1 to 1000 (Hz), not 1001",
      %w[record -m walll ruby] => "-m must be cpu, wall, custom, alloc, heap or both, not 'walll'; did you mean 'wall'?",
      %w[exec --format txet ruby] => /\A--format must be .*, not 'txet'; did you mean 'text'\?\z/,
      %w[stat --modee wall ruby] => "unknown option '--modee' for 'rperf stat'; did you mean '--mode'? ('rperf help stat' lists them)",
      %w[report --top --tops a] => "unknown option '--tops' for 'rperf report'; did you mean '--top'? ('rperf help report' lists them)",
      %w[diff a] => "'rperf diff' compares two files, base and target, but got 1; for several on a side: --base FILE --base FILE ... TARGET...",
      %w[diff --base a] => "'rperf diff --base' needs the target, too: rperf diff --base a TARGET...",
      %w[help recrod] => /\Aunknown command or topic 'recrod'; did you mean 'record'\? \('rperf help' lists the commands; topics: topics, .*\btour\b.*\)\z/,
      %w[help faq tour] => "'rperf help' takes one command or topic, but 2 words were given",
      %w[completion] => "'rperf completion' needs the name of a shell: bash or zsh",
      %w[completion fish] => "'rperf completion' needs the name of a shell: bash or zsh, not 'fish'",
      %w[record -p -o - ruby] => "--print and -o /dev/stdout both write to stdout: name a file, or leave out one of the two",
      %w[record -p --format json ruby] => "--format is for the file, and none is written: add -o PATH, or leave out --format",
      %w[stat --format json ruby] => "--format is for the file, and none is written: add -o PATH, or leave out --format",
      %w[record -p --timeline ruby] => "--timeline is for the file, and none is written: add -o PATH, or leave out --timeline",
      %w[stat --timeline ruby] => "--timeline is for the file, and none is written: add -o PATH, or leave out --timeline",
      %w[report --pprof --wait A#b=c a] => "Go's pprof has no --wait: leave out --pprof or --wait",
      %w[report --html - --top a] => "--html and --top both write to stdout: name a file for the page, or leave out one of the two",
      %w[diff --html - --peek x a b] => "--html and --peek both write to stdout: name a file for the page, or leave out one of the two",
      %w[report --html p.html --editor foo a] =>
        "--editor is for the page that is served, and a file has no such links: leave out --editor or --html"
    }.each { |words, sentence| assert_complains(2, sentence, *words) }
  end

  # Words of a command line are bytes: file names of another time, or of another locale.
  def test_words_that_are_not_utf8
    {
      %W[\xff] => [2, "unknown command '\xff'; to profile a program, put 'record' before it ('rperf help' lists them)"],
      %W[record \xff] => [1, "cannot run '\xff': command not found; check its name and PATH"],
      %W[record -m \xff ruby] => [2, "-m must be cpu, wall, custom, alloc, heap or both, not '\xff'"],
      %W[report --top \xff] => [1, "cannot read '\xff': there is no such file"],
      %W[report --top --focus \xff x] => [2, '--focus must be text in UTF-8, not "\xFF"']
    }.each do |words, (status, sentence)|
      assert_complains(status, ->(said) { said.b == sentence.b }, *words)
    end
  end

  # A file may have any name.
  def test_words_that_command_a_terminal
    name = "\e[31mred\u{9b}2J\nü\u{202e}\u{2066}"
    shown = "\u{fffd}[31mred\u{fffd}2J\u{fffd}ü\u{fffd}\u{fffd}"
    {
      ["report", "--top", name] => [1, "cannot read '#{shown}': there is no such file"],
      ["record", name] => [1, "cannot run '#{shown}': command not found; check its name and PATH"],
      ["record", "-m", name, "ruby"] => [2, "-m must be cpu, wall, custom, alloc, heap or both, not '#{shown}'"],
      [name] => [2, "unknown command '#{shown}'; to profile a program, put 'record' before it ('rperf help' lists them)"]
    }.each { |words, (status, sentence)| assert_complains(status, sentence, *words) }
    in_directory do |directory|
      result = rperf("record", "-o", "#{name}.txt", "ruby", "-e", "1", directory:)
      assert_match(/\Arperf: wrote #{Regexp.escape(shown)}\.txt: [^\n]*\n\z/, result.err)
      refute_includes result.err, "look at it", "no command can name it as it is shown"
      assert_path_exists File.join(directory, "#{name}.txt")
    end
  end

  # Beside names that are.
  def test_words_that_are_not_utf8_beside_texts_that_are
    in_directory do |directory|
      result = rperf("stat", "--repeat", "2", "ruby", "-e", "exit 3", "\xff", directory:)
      assert_equal [3, true], [result.code, result.err.b.include?("stats for 'ruby -e exit 3 \xff' (2 runs; all failed)".b)], result.err
      File.write(File.join(directory, "\xff.collapsed"), "main;é 5000000\n")
      {%w[--method nothing_é] => "cannot show '\xff.collapsed': there is no method 'nothing_é' (--top lists the functions)",
       %w[--sample-index né --top] => "cannot read '\xff.collapsed': it has no values of the sample type 'né': "}.each do |words, sentence|
        result = rperf("report", *words, "\xff.collapsed", directory:)
        assert_equal [1, 1], [result.code, result.err.lines.length]
        assert_includes result.err.b, "rperf: #{sentence}".b
      end
    end
  end

  def test_commands_that_cannot_run
    assert_complains(1, "cannot run 'no-such-command': command not found; check its name and PATH", "record", "no-such-command")
    assert_complains(1, "cannot run './no such': command not found; give the command and its arguments as separate words", "stat", "./no such")
    assert_complains(1, "cannot run 'FOO=1': command not found; put 'env' before it", "record", "FOO=1", "ruby")
    assert_complains(1, "cannot run '/': it is a directory", "exec", "/")
    assert_complains(1, "cannot run '/etc/passwd': it is not executable", "record", "/etc/passwd")
  end

  def test_a_script_without_its_interpreter
    in_directory do |directory|
      write_file(directory, "x.rb", "1")
      result = rperf("record", "./x.rb", directory:)
      assert_equal 1, result.code
      assert_equal "rperf: cannot run './x.rb': it is not executable; name the interpreter: ruby ./x.rb\n", result.err
      File.chmod(0o700, write_file(directory, "x", "#!/nowhere/ruby\n"))
      assert_equal "rperf: cannot run './x': the interpreter in its first line was not found\n", rperf("record", "./x", directory:).err
      assert_equal "rperf: cannot run 'x': command not found; for the file in this directory write ./x\n", rperf("record", "x", directory:).err
    end
  end

  def test_an_unwritable_output_is_found_before_the_program_runs
    code = "puts 'the program ran'"
    assert_complains(1, "cannot write '/no/such/p': the directory '/no/such' does not exist; create it, or name a file elsewhere",
      "record", "-o", "/no/such/p", "ruby", "-e", code)
    assert_complains(1, "cannot write '/etc/passwd/p': '/etc/passwd' is no directory; name a file elsewhere", "record", "-o", "/etc/passwd/p", "ruby")
    assert_complains(1, "cannot write '/usr': it is a directory; name a file", "stat", "-o", "/usr", "ruby", "-e", code)
    assert_complains(1, "cannot write '/proc/p': no file can be made there; name a file elsewhere", "record", "-o", "/proc/p", "ruby", "-e", code)
  end

  # What Ruby says when no directory for temporary files is to be had, or that of a user who does
  # not exist. The program runs on.
  def test_no_temporary_directory
    sentence = /\A'ruby' runs without a profile: cannot make a temporary directory: [^;]+; set TMPDIR to a directory that you may write to\z/
    %w[record stat exec].each do |command|
      assert_complains(3, sentence, command, "ruby", "-e", "exit 3", env: {"TMPDIR" => "~no such user"})
    end
  end

  def test_a_directory_that_has_been_removed
    in_directory do |directory|
      script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\""
      gone = "the current directory has been removed; go to another one, or name the file by its whole path\n"
      recorded = run_program("/bin/sh", "-c", script, RUBY, RPERF, "record", "ruby", "-e", "puts 1", directory:)
      assert_equal [1, "", "rperf: cannot write 'rperf.data': #{gone}"], [recorded.code, recorded.out, recorded.err]
      whole = run_program("/bin/sh", "-c", script, RUBY, RPERF, "record", "-o", File.join(directory, "p.txt"), "ruby", "-e", "puts 1", directory:)
      assert_equal [0, "1\n"], [whole.code, whole.out], whole.err
      by_hand = run_program("/bin/sh", "-c", script, RUBY, "-I", Paths::LIB, "-rrperf", "-e", "puts 2", directory:, env: {"RPERF_ENABLED" => "1"})
      assert_equal [0, "2\n", "rperf: cannot write 'rperf.data': #{gone}"], [by_hand.code, by_hand.out, by_hand.err]
    end
  end

  def test_a_full_disk_keeps_the_programs_exit_status
    in_directory do |directory|
      [0, 3].each do |status|
        result = rperf("record", "-o", "/dev/full", "ruby", "-e", "puts 'ran'; exit #{status}", directory:)
        assert_equal [status, "ran\n"], [result.code, result.out]
        assert_equal "rperf: cannot write '/dev/full': the disk is full; free some space, or name a file on another disk\n", result.err
      end
    end
  end

  def test_a_full_disk_and_a_closed_pipe_by_every_command
    in_directory do |directory|
      %w[record stat exec].each do |command|
        program = "\"$0\" -e 'exit 4'"
        full = run_program("/bin/sh", "-c", "\"$0\" \"$1\" #{command} -o /dev/full #{program}", RUBY, RPERF, directory:)
        closed = run_program("/bin/bash", "-c", "\"$0\" \"$1\" #{command} -o - --format json #{program} | true; exit ${PIPESTATUS[0]}", RUBY, RPERF, directory:)
        assert_equal [4, 4], [full.code, closed.code], command
        assert_match(%r{^rperf: cannot write '/dev/full': the disk is full; [^\n]+\n\z}, full.err)
        assert_match(%r{^rperf: cannot write '/dev/stdout': the reader closed the pipe\n\z}, closed.err)
      end
    end
  end

  # A small disk of its own, which takes a mount; a limit on the size of files does the same without
  # rights.
  def test_a_disk_that_fills_up_leaves_the_old_file_whole
    in_directory do |directory|
      write_file(directory, "p.json", "old")
      limited = "ulimit -f 8; trap '' XFSZ; exec \"$0\" \"$1\" record -o p.json \"$0\" -e \"$2\""
      code = "20.times { |i| eval(\"def method_with_a_long_name_\#{i}\#{'x' * 500}(n) = n.times { |k| k.to_s }; method_with_a_long_name_\#{i}\#{'x' * 500}(50_000)\") }; exit 4"
      result = run_program("/bin/bash", "-c", limited, RUBY, RPERF, code, directory:, env: {"TMPDIR" => directory})
      assert_equal 4, result.code, result.inspect
      assert_match(/^rperf: .*(cannot write|could not be profiled|left no profile)/, result.err)
      assert_equal "old", File.read(File.join(directory, "p.json"))
      assert_equal %w[.stderr .stdout p.json], Dir.children(directory).sort
    end
  end

  # The system sends SIGXFSZ to whoever writes more.
  def test_a_limit_on_the_size_of_files_keeps_the_programs_exit_status
    in_directory do |directory|
      write_file(directory, "p.rb", "eval('def m' + 'm' * 3000 + '(n) = n.times { |i| i.to_s }'); send('m' + 'm' * 3000, 500_000); exit 4")
      [0, 1].each do |kibibytes|
        script = "(ulimit -f #{kibibytes}; exec \"$0\" \"$1\" record -o p.json \"$0\" p.rb) 2>&1 | cat; exit ${PIPESTATUS[0]}"
        result = run_program("/bin/bash", "-c", script, RUBY, RPERF, directory:)
        assert_equal 4, result.code, result.inspect
        assert_match(/\Arperf: (nothing was profiled|process \d+ could not be profiled: cannot write)[^\n]+\n\z/, result.out)
      end
      assert_equal 4, rperf("record", "ruby", "-e", "Process.setrlimit(:FSIZE, 0); exit 4", directory:).code
    end
  end

  def test_where_no_process_can_leave_its_profile_that_is_said_and_the_exit_status_stays
    in_directory do |directory|
      script = "(ulimit -f 0; exec \"$0\" \"$1\" record -o p.json \"$0\" -e 1) 2>&1 | cat; exit ${PIPESTATUS[0]}"
      result = run_program("/bin/bash", "-c", script, RUBY, RPERF, directory:)
      assert_equal 0, result.code, result.inspect
      assert_match(/\Arperf: nothing was profiled: cannot write '[^']+': it would be larger than this process may write; raise the limit \(ulimit -f\)\n\z/, result.out)
    end
  end

  def test_a_limit_on_the_size_of_files_leaves_a_program_with_agent_and_recorder_alone
    code = "6.times { sleep 0.3; 20_000.times { |i| i.to_s } }; Rperf::Recorder.dump; Rperf::Agent.flush; exit 4"
    in_directory do |directory|
      script = "(ulimit -f 0; exec \"$0\" -I \"$1\" -rrperf -e \"$2\") 2>&1 | cat; exit ${PIPESTATUS[0]}"
      env = {"RPERF_RECORDER" => "directory=recordings", "RPERF_PUSH_URL" => "file:pushed/%t.pb.gz", "RPERF_PUSH_PERIOD" => "1"}
      result = run_program("/bin/bash", "-c", script, RUBY, Paths::LIB, code, directory:, env:)
      assert_equal 4, result.code, result.inspect
      assert_match(/cannot write the recording .*: File too large/, result.out)
      assert_match(/refuses a profile \(cannot write .*raise the limit/, result.out)
      assert_empty %w[recordings pushed].flat_map { |name| Dir.children(File.join(directory, name)) }
    end
  end

  # rperf copies stacks into a file in memory, to which the limit applies, too; or without a file.
  def test_a_limit_on_the_size_of_files_does_not_keep_rperf_from_ticking
    in_directory do |directory|
      [100_000, 300, 4].each do |kibibytes|
        code = "require 'rperf'; data = Rperf.start { 300_000.times { |i| i.to_s } }; print data[:engine]"
        script = "(ulimit -f #{kibibytes}; exec \"$0\" -I \"$1\" -e \"$2\") | cat; exit ${PIPESTATUS[0]}"
        result = run_program("/bin/bash", "-c", script, RUBY, Paths::LIB, code, directory:)
        assert_equal [0, "poll"], [result.code, result.out], result.inspect
      end
    end
  end if RUBY_PLATFORM.include?("linux")

  # Stacks are copied through a file in memory.
  def test_a_limit_that_the_program_lowers_does_not_either
    program = <<~RUBY
      Process.setrlimit(:FSIZE, 100_000, 100_000)
      def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      def spin = (finish = cpu + 0.2; nil while cpu < finish)
      Thread.new { spin }.join
    RUBY
    result = in_directory { |directory| rperf("stat", RUBY, "-e", program, directory:) }
    assert_match(/^ +[1-9]\d+ samples/, result.err)
    refute_match(/dropped \((thread ended|unreadable)/, result.err)
  end

  def test_a_file_that_would_be_too_large
    in_directory do |directory|
      write_file(directory, "p.collapsed", "a;b 1\n")
      script = "(ulimit -f 0; trap '' XFSZ; exec \"$0\" \"$1\" convert --format json p.collapsed p.json) 2>&1 | cat"
      assert_equal "rperf: cannot write '#{File.join(directory, "p.json")}': it would be larger than this process may write; raise the limit (ulimit -f)\n",
        run_program("/bin/bash", "-c", script, RUBY, RPERF, directory:).out
    end
  end

  def test_a_program_that_removes_the_directory_of_its_run
    in_directory do |directory|
      code = "require 'fileutils'; FileUtils.rm_rf(ENV['RPERF_SESSION_DIR']); puts :ran"
      result = rperf("record", "-o", "p.data", "ruby", "-e", code, directory:)
      assert_equal [0, "ran\n"], [result.code, result.out]
      assert_match(/^rperf: nothing was profiled: '.*' has been removed, into which processes write their profiles until the command has ended$/, result.err)
    end
  end

  def test_an_output_by_environment_that_cannot_be_written
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "/no/such/p"}
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", "puts 1; exit 3", directory:, env:)
      assert_equal [3, "1\n"], [result.code, result.out]
      assert_equal "rperf: cannot write '/no/such/p': the directory '/no/such' does not exist; create it, or name a file elsewhere\n", result.err
    end
  end

  def test_a_full_stderr_keeps_the_programs_exit_status
    in_directory do |directory|
      %w[record stat].each do |command|
        script = "\"$0\" \"$1\" #{command} -v \"$0\" -e 'exit 5' 2>/dev/full"
        assert_equal 5, run_program("/bin/sh", "-c", script, RUBY, RPERF, directory:).code
      end
    end
  end

  def test_a_session_that_cannot_start_lets_the_program_run
    in_directory do |directory|
      # Not from RUBYOPT, but later, when the native part has been made to refuse.
      code = <<~RUBY
        enabled = ENV.delete("RPERF_ENABLED")
        require "rperf"
        def (Rperf::Native).start(**) = raise(Rperf::Error, "no timer to be had")
        ENV["RPERF_ENABLED"] = enabled
        require "rperf/autostart"
        puts "ran"
        exit 3
      RUBY
      result = rperf("record", "ruby", "--disable=rubyopt", "-I", Paths::LIB, "-e", code, directory:)
      assert_equal [3, "ran\n"], [result.code, result.out], result.inspect
      assert_match(/\Arperf: process \d+ could not be profiled: no timer to be had\n\z/, result.err)
    end
  end

  def test_a_temporary_directory_that_is_full_lets_the_program_run
    in_directory do |directory|
      # The program takes the directory away while it runs.
      code = "require 'fileutils'; FileUtils.rm_rf(ENV['RPERF_SESSION_DIR']); puts 'ran'; exit 3"
      result = rperf("record", "ruby", "-e", code, directory:)
      assert_equal [3, "ran\n"], [result.code, result.out], result.inspect
    end
  end

  def test_a_program_that_never_loads_ruby
    failed = "failed before a Ruby program began, or ran no Ruby program, or one that does not read RUBYOPT"
    assert_complains(1, "nothing was profiled: 'true' ran no Ruby program, or one that does not read RUBYOPT", "record", "true")
    assert_complains(1, "nothing was profiled: 'false' #{failed}", "record", "false")
    assert_complains(6, "nothing was profiled: 'sh' #{failed}", "stat", "sh", "-c", "exit 6")
    assert_complains(1, /\Anothing was profiled: 'env'/, "exec", "env", "-i", RUBY, "-e", "1")
  end

  def test_help_and_version
    in_directory do |directory|
      %w[--version -V -v].each do |word|
        version = rperf(word, directory:)
        assert_equal [0, "rperf #{Rperf::VERSION}\n", ""], [version.code, version.out, version.err]
      end
      [%w[help], %w[help record], %w[record --help], %w[--help]].each do |words|
        result = rperf(*words, directory:)
        assert_equal [0, ""], [result.code, result.err]
        assert_match(/^Usage:/, result.out)
      end
      short = rperf(directory:)
      assert_equal [2, ""], [short.code, short.out]
      assert_match(/\AUsage:\n  rperf record/, short.err)
    end
  end

  def test_a_library_that_is_missing_or_damaged
    in_directory do |directory|
      FileUtils.cp_r([Paths::LIB, File.join(ROOT, "exe")], directory)
      library, command = File.join(directory, "lib/rperf/rperf.so"), File.join(directory, "exe/rperf")
      [-> { File.delete(library) }, -> { File.write(library, "x") }].each do |damage|
        damage.call
        result = run_program(RUBY, "--disable-gems", command, "--version", directory:)
        assert_equal [1, ""], [result.code, result.out]
        assert_match(%r{\Arperf: its library cannot be loaded \([^\n]*rperf/rperf\.so\): install it anew, with this Ruby: gem pristine rperf\n\z}, result.err)
      end
      FileUtils.rm_r(File.join(directory, "lib/rperf/formats.rb"))
      assert_match(/cannot load such file.*formats \(LoadError\)/, run_program(RUBY, "--disable-gems", command, directory:).err)
    end
  end

  # On a busy machine it takes a second.
  def test_ctrl_c_while_the_library_is_loaded
    in_directory do |directory|
      loading = "module Kernel; alias plain require; def require(name) = name == 'rperf/cli' ? Process.kill(:INT, $$) && sleep : plain(name); end"
      write_file(directory, "loading.rb", loading)
      result = run_program(RUBY, "--disable-gems", "-r./loading", RPERF, "record", "ruby", "-e", "1", directory:)
      assert_equal [130, "", ""], [result.code, result.out, result.err]
    end
  end

  def test_an_old_ruby_runs_unprofiled_with_one_sentence
    in_directory do |directory|
      # What the library does in an old Ruby, seen from the CLI.
      code = "File.write(File.join(ENV['RPERF_SESSION_DIR'], 'unsupported'), 'old'); warn 'rperf: the program runs unprofiled'; exit 4"
      result = rperf("record", "ruby", "--disable=rubyopt", "-e", code, directory:)
      assert_equal [4, "rperf: the program runs unprofiled\n"], [result.code, result.err]
    end
  end
end
