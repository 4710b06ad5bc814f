# frozen_string_literal: true

require "json"
require "pty"
require "socket"
require_relative "../support/program"

# What a program sees of the world is the same with rperf as without.
class StreamsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  def test_stdout_is_the_programs_own_byte_for_byte
    code = '$stdout.binmode; $stdout.write((0..255).to_a.pack("C*") * 1000)'
    in_directory do |directory|
      %w[record stat exec].each do |command|
        result = rperf(command, "-v", "ruby", "-e", code, directory:)
        assert_equal (0..255).to_a.pack("C*") * 1000, result.out.b, command
      end
    end
  end

  def test_stdin_reaches_the_program
    in_directory do |directory|
      input = write_file(directory, "input", "one\ntwo\n")
      result = rperf("record", "ruby", "-e", "print $stdin.read.upcase", directory:, input:)
      assert_equal "ONE\nTWO\n", result.out
    end
  end

  def test_record_says_one_line_on_stderr
    in_directory do |directory|
      result = rperf("record", "ruby", "-e", "warn 'mine'", directory:)
      assert_match(/\Amine\nrperf: wrote rperf\.data: [\d,]+ samples?, [\d.,]+ [mu]?s of CPU time(, [^;]+ dropped)?; look at it with: rperf report\n\z/,
        result.err)
      result = rperf("record", "-m", "wall", "-o", "a.txt", "ruby", "-e", "sleep 0.01", directory:)
      assert_match(/\Arperf: wrote a\.txt: [\d,]+ samples?, [\d.,]+ m?s of wall time(, [^;]+ dropped)?; look at it with: cat a\.txt\n\z/, result.err)
    end
  end

  def test_record_says_how_to_look_at_the_file_and_not_at_a_stream
    {
      %w[-o a.pb.gz --format text] => "zcat a.pb.gz", %w[-o a.md] => "cat a.md", %w[-o a.json] => "rperf report a.json",
      %w[-o a.dot] => "dot -Tsvg -O a.dot", %w[-o a.html] => nil, %w[-o - --format text] => nil, %w[-o /dev/stdout] => nil,
      %w[-o -x.json] => "rperf report ./-x.json", %w[-o Jürgen/日本.json] => "rperf report Jürgen/日本.json", ["-o", "a b$.json"] => "rperf report a\\ b\\$.json"
    }.each do |words, viewer|
      in_directory do |directory|
        Dir.mkdir(File.join(directory, "Jürgen"))
        said = rperf("record", *words, "ruby", "-e", "1", directory:).err
        assert_equal [viewer], [said[/; look at it with: (.*)$/, 1]], words.inspect
      end
    end
  end

  # Even what a child of the program prints when rperf has its profile already.
  def test_a_profile_on_stdout_is_alone_there
    code = "puts 'printed'; $stdout.flush; system('echo', 'by a child'); 1_000_000.times { |i| i * i }"
    in_directory do |directory|
      %w[record stat exec].product(%w[- /dev/stdout]).each do |command, path|
        result = rperf(command, "-o", path, "--format", "json", "ruby", "-e", code, directory:)
        assert_match(/\Aprinted\nby a child\n/, result.err, command)
        assert_equal 0, result.code
        assert_includes JSON.parse(result.out)["functions"].map { |function| function["label"] }, "Integer#times"
      end
      plain = rperf("record", "-o", "p.json", "ruby", "-e", code, directory:)
      assert_equal "printed\nby a child\n", plain.out
    end
  end

  # A program that is set up by hand prints to the same stdout as its profile would.
  def test_a_profile_that_cannot_be_alone_on_stdout_is_refused
    in_directory do |directory|
      env = {"RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "-", "RUBYLIB" => Paths::LIB}
      result = run_program(RUBY, "-rrperf/autostart", "-e", "puts 'printed'; exit 3", directory:, env:)
      assert_equal ["printed\n", 3], [result.out, result.code]
      assert_match(/\Arperf: [^\n]*RPERF_OUTPUT must be the path of a file, not "-": stdout is the program's own; [^\n]*\n\z/, result.err)

      code = "begin; Rperf.start(output: '-') { 1 }; rescue ArgumentError; print $!.message; end"
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_match(/\Aoutput: must be the path of a file, not "-": stdout/, result.out)
      assert_empty Dir.children(directory) - %w[.stdout .stderr]
    end
  end

  def test_print_writes_the_text_behind_the_programs_output_and_no_file
    in_directory do |directory|
      [[], %w[--format text]].each do |format|
        result = rperf("record", "-p", *format, "ruby", "-e", "print 'mine'; 1_000_000.times { |i| i * i }", directory:)
        assert_match(/\Amine\nTotal: .*^Flat:$.*^Cumulative:$/m, result.out)
        assert_empty result.err
      end
      assert_empty Dir.children(directory) - %w[.stdout .stderr]
    end
  end

  def test_print_with_a_file_does_both
    in_directory do |directory|
      result = rperf("record", "-p", "-o", "a.collapsed", "ruby", "-e", "1_000_000.times { |i| i * i }", directory:)
      assert_match(/^Flat:$/, result.out)
      assert_includes File.read(File.join(directory, "a.collapsed")), "Integer#times"
    end
  end

  def test_print_to_a_reader_that_leaves
    in_directory do |directory|
      script = "\"$0\" \"$1\" record -p \"$0\" -e '1_000_000.times { |i| i * i }' | true; echo over"
      result = run_program("/bin/sh", "-c", script, RUBY, RPERF, directory:)
      assert_equal ["over\n", ""], [result.out, result.err]
    end
  end

  # Its reader leaves before the report comes, or its disk is full: the file is written.
  def test_print_with_a_file_to_a_stdout_that_takes_nothing
    code = "1_000_000.times { |i| i * i }; exit 4"
    ["| true; exit ${PIPESTATUS[0]}", ">/dev/full"].each do |to|
      in_directory do |directory|
        result = run_program("bash", "-c", "\"$0\" \"$1\" record -p -o a.collapsed \"$0\" -e '#{code}' #{to}", RUBY, RPERF, directory:)
        assert_equal 4, result.code, result.inspect
        assert_includes File.read(File.join(directory, "a.collapsed")), "Integer#times"
      end
    end
  end

  # As `ruby program.rb | head` ends: by SIGPIPE.
  def test_a_program_that_writes_to_a_reader_that_leaves
    in_directory do |directory|
      script = '"$0" "$@" | head -n 1; exit ${PIPESTATUS[0]}'
      ["-p", "-v"].each do |option|
        result = run_program("bash", "-c", script, RUBY, RPERF, "record", option, "ruby", "-e", "loop { puts 1 }", directory:)
        assert_equal [128 + Signal.list.fetch("PIPE"), "1\n"], [result.code, result.out], [option, result.err].inspect
      end
    end
  end

  def test_the_directory_is_the_same
    in_directory do |directory|
      deep = File.join(directory, "a b", "c")
      FileUtils.mkdir_p(deep)
      result = rperf("record", "-o", "../p.txt", "ruby", "-e", "print Dir.pwd", directory: deep)
      assert_equal deep, result.out
      assert_path_exists File.join(directory, "a b", "p.txt")
    end
  end

  def test_a_program_that_changes_its_directory_leaves_its_profile_where_it_began
    in_directory do |directory|
      rperf("record", "-o", "p.txt", "ruby", "-e", "Dir.chdir('/')", directory:)
      assert_path_exists File.join(directory, "p.txt")
    end
  end

  def test_the_environment_is_the_same_but_for_what_profiling_needs
    code = "ENV.sort.each { |name, value| puts \"\#{name}=\#{value.inspect}\" }"
    in_directory do |directory|
      env = {"KEPT" => "yes", "RUBYOPT" => "-W1", "RUBYLIB" => "/nowhere"}
      plain = run_program(RUBY, "-e", code, directory:, env:).out.lines
      profiled = rperf("record", RUBY, "-e", code, directory:, env:).out.lines
      names = (profiled - plain).map { |line| line[/\A\w+/] }
      assert_empty names.grep_v(/\A(RPERF_\w+|RUBYOPT|RUBYLIB)\z/)
      assert_includes profiled, "RUBYOPT=\"-r#{ROOT}/lib/rperf/autostart -W1\"\n"
      assert_match(%r{^RUBYLIB=".*:/nowhere"$}, profiled.join)
    end
  end

  # Its children find rperf by its path, and it does not keep them from starting.
  def test_a_program_may_set_the_library_path_of_its_children
    [%w[-m cpu], %w[-m heap]].each do |mode|
      in_directory do |directory|
        script = "system({'RUBYLIB' => '/nowhere'}, 'ruby', '-e', 'sleep 0.01; puts 1; exit 3'); exit $?.exitstatus"
        result = rperf("record", *mode, "-o", "p.json", "ruby", "-e", script, directory:)
        assert_equal [3, "1\n"], [result.code, result.out], result.inspect
        assert_includes result.err, "2 processes"
      end
    end
  end

  def test_arguments_are_the_same
    words = ["", "a b", "*", "-v", "--", "ü", "$HOME", "'\""]
    in_directory do |directory|
      result = rperf("record", "ruby", "-e", "print ARGV.inspect", "--", *words, directory:)
      assert_equal words.inspect, result.out
    end
  end

  def test_a_profile_from_stdin
    in_directory do |directory|
      write_file(directory, "p.collapsed", "<main>;Object#work 100000000\n")
      script = '"$0" "$1" record -o - "$0" -e 1 | "$0" "$1" convert --format json - -'
      assert_operator run_program("/bin/sh", "-c", script, RUBY, RPERF, directory:).out, :start_with?, '{"rperf":'
      [%w[report --top -], %w[diff --top p.collapsed -], %w[diff --top - p.collapsed]].each do |words|
        shown = rperf(*words, directory:, input: File.join(directory, "p.collapsed"))
        assert_equal [0, ""], [shown.code, shown.err], words.inspect
        assert_includes shown.out, "Object#work" if words.first == "report"
      end
      failed = rperf("report", "--top", "-", directory:, input: "/dev/null")
      assert_equal 1, failed.code
      assert_match(%r{\Arperf: cannot read '/dev/stdin': it is empty, [^\n]+\n\z}, failed.err)
      assert_equal failed.err, run_program("/bin/sh", "-c", ': | "$0" "$1" report --top -', RUBY, RPERF, directory:).err
    end
  end

  def test_stdin_is_one_profile
    [%w[report --top - -], %w[diff --top - -], %w[merge -o m.data - p /dev/stdin]].each do |words|
      in_directory do |directory|
        result = rperf(*words, directory:, input: "/dev/null")
        assert_equal [2, "rperf: stdin can be read once, so '-' stands for one profile: write the others to files\n"], [result.code, result.err]
      end
    end
  end

  def test_stdin_is_read_from_where_it_stands
    in_directory do |directory|
      write_file(directory, "p", "a line\n<main>;Object#work 100000000\n")
      result = run_program("/bin/sh", "-c", '{ read line; "$0" "$1" report --top -; } < p', RUBY, RPERF, directory:)
      assert_equal [0, ""], [result.code, result.err]
      assert_includes result.out, "Object#work"
      own, other = UNIXSocket.pair
      other.write("<main>;Object#work 100000000\n")
      other.close
      assert_includes rperf("report", "--top", "-", directory:, input: own).out, "Object#work"
      own.close
    end
  end

  # One Ctrl-D is the end.
  def test_a_profile_from_the_keyboard
    in_directory do |directory|
      PTY.open do |keyboard, terminal|
        keyboard.write("<main>;Object#work 100000000\n\x04")
        assert_includes rperf("report", "--top", "-", directory:, input: terminal).out, "Object#work"
      end
    end
  end

  # Bytes that are not UTF-8, and names that the locale does not know.
  def test_names_of_files_are_bytes
    in_directory do |directory|
      ["\xff".b, "\u00fc".b].each do |name|
        recorded = rperf("record", "-o", "#{name}.pb.gz", "ruby", "-e", "1_000_000.times { |i| i * i }", name, directory:, env: {"LC_ALL" => "C"})
        assert_equal 0, recorded.code, recorded.err
        assert_match(/\Arperf: wrote \S+: .*; look at it with: rperf report \S+\n\z/n, recorded.err.b)
        shown = rperf("report", "--top", "--focus", "Integer", "#{name}.pb.gz", directory:, env: {"LC_ALL" => "C"})
        assert_equal [0, ""], [shown.code, shown.err]
        assert_includes shown.out, "Integer#times"
      end
      stat = rperf("stat", "ruby", "-e", "1", "\xff".b, "\u00fc", directory:)
      assert_includes stat.err.b, "Performance stats for 'ruby -e 1 \xff \u00fc'".b
    end
  end

  # They are the current one and that of temporary files, of a program that forks.
  def test_names_of_directories_are_bytes
    in_directory do |directory|
      ["\xff".b, "\u00fc".b].product(%w[C C.UTF-8]) do |name, locale|
        own = File.join(directory.b, "#{locale}#{name}".b)
        Dir.mkdir(own)
        env = {"LC_ALL" => locale, "TMPDIR" => own}
        code = "Process.wait(fork {}); 1_000_000.times { |i| i * i }"
        recorded = rperf("record", "-o", "\u00f6.json", "ruby", "-e", code, directory: own, env:)
        assert_match(/\Arperf: wrote \xC3\xB6\.json: [^\n]+, 2 processes[^\n]+\n\z/n, recorded.err.b)
        env = {"LC_ALL" => locale, "RPERF_ENABLED" => "1", "RPERF_OUTPUT" => "\u00f6 by hand.json"}
        by_hand = run_program(RUBY, "-EUTF-8", "-r#{File.join(ROOT, "lib", "rperf", "autostart")}", "-e", code, directory: own, env:)
        assert_equal [0, ""], [by_hand.code, by_hand.err]
        assert_includes File.binread(File.join(own, "\u00f6 by hand.json".b)), "Integer#times"
      end
    end
  end

  # Sentences, where reports cannot be printed.
  def test_a_stdout_that_is_full
    in_directory do |directory|
      write_file(directory, "p.collapsed", "<main>;work 100\n")
      [%w[help], %w[--version], %w[completion zsh], %w[doctor --json], %w[report --top p.collapsed], %w[convert --format json p.collapsed -]].each do |words|
        result = run_program("/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full", RUBY, RPERF, *words, directory:)
        assert_equal [1, "rperf: cannot finish: No space left on device\n"], [result.code, result.err], words.inspect
      end
    end
  end

  def test_everything_works_from_paths_with_spaces
    in_directory("rperf with spaces ") do |directory|
      copy = File.join(directory, "the rperf")
      FileUtils.mkdir_p(copy)
      FileUtils.cp_r([Paths::LIB, File.join(ROOT, "exe")], copy)
      temporary = File.join(directory, "tmp dir [x] {a,b}*")
      Dir.mkdir(temporary)
      script = write_file(directory, "my script.rb", "1_000_000.times { |i| i * i }; system('ruby', '-e', 'puts 1')")
      result = run_program(RUBY, File.join(copy, "exe", "rperf"), "record", "-o", "my profile.txt", "ruby", script,
        directory:, env: {"TMPDIR" => temporary})
      assert_equal [0, "1\n"], [result.code, result.out], result.inspect
      assert_includes File.read(File.join(directory, "my profile.txt")), "Integer#times"
      assert_empty Dir.children(temporary)
    end
  end

  def test_libraries_that_the_program_sees
    code = "puts $LOADED_FEATURES.grep(%r{/(json|tmpdir|fileutils|optparse|zlib|stringio)\\.(rb|so)$})"
    in_directory do |directory|
      plain = run_program(RUBY, "-e", code, directory:).out
      assert_equal plain, rperf("record", RUBY, "-e", code, directory:).out
    end
  end
end
