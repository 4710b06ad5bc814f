# frozen_string_literal: true

require "pty"
require_relative "../support/program"

# Signals that others send while a program runs under rperf.
class SignalsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # It has slept before it is ready: a signal may come before it sleeps again.
  READY = "$stdout.sync = true; %s; sleep 0.01; $stdout.syswrite(\"ready \#{$$}\\n\"); loop { sleep 0.01 }"

  # Starts the code, waits until it is ready, yields the running rperf; returns the result.
  def while_running(code, *options, group: false)
    in_directory do |directory|
      running = launch_rperf("record", "-m", "wall", "-o", "p.txt", *options, "ruby", "-e", format(READY, code), directory:, group:)
      running.await_output("ready ")
      yield running
      result = running.finish
      profile = File.join(directory, "p.txt")
      [result, (File.read(profile) if File.exist?(profile))]
    end
  end

  %w[TERM HUP USR1 USR2].each do |name|
    define_method("test_#{name}_to_rperf_is_passed_on") do
      result, profile = while_running("trap(:#{name}) { puts 'got #{name}'; exit 5 }") { |running| running.signal(name) }
      assert_equal 5, result.code, result.inspect
      assert_includes result.out, "got #{name}"
      refute_nil profile
    end
  end

  # Ruby tries for ever to fork.
  %w[TERM HUP INT QUIT].each do |name|
    define_method("test_#{name}_to_rperf_that_cannot_fork_ends_it") do
      code = "require 'rperf/cli'; def Process.spawn(*) = Process.kill(:#{name}, $$) && raise(Errno::EAGAIN); Rperf::CLI.run(%w[record true])"
      in_directory do |directory|
        Dir.mkdir(temporary = File.join(directory, "tmp"))
        result = run_program("sh", "-c", "ulimit -c 0; exec \"$@\"", "sh", RUBY, "-I", Paths::LIB, "-e", code, directory:, env: {"TMPDIR" => temporary})
        assert_equal [name, ""], [result.signal, result.err]
        assert_empty Dir.children(temporary)
      end
    end
  end

  # The system knows of the child before rperf does.
  def test_a_signal_right_after_the_fork_reaches_the_child
    code = <<~RUBY
      require 'rperf/cli'
      def Process.spawn(*words) = super.tap { kill(:TERM, $$) }
      Rperf::CLI.run(%w[record sleep 600])
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", code, directory:)
      assert_equal "TERM", result.signal
      assert_match(/\Arperf: nothing was profiled: 'sleep' /, result.err)
    end
  end

  def test_TERM_to_rperf_ends_both_and_leaves_a_profile
    result, profile = while_running("") { |running| running.signal("TERM") }
    assert_equal "TERM", result.signal, result.inspect
    assert_includes profile, "Kernel#sleep"
  end

  def test_interrupt_from_the_terminal_reaches_the_whole_group
    result, profile = while_running("", group: true) { |running| running.signal("INT", to: -running.pid) }
    assert_equal "INT", result.signal, result.inspect
    refute_nil profile, result.inspect
    assert_includes profile, "Kernel#sleep"
  end

  def test_interrupt_key_of_a_terminal_arrives_once
    in_directory do |directory|
      code = "count = 0; trap(:INT) { count += 1 }; trap(:TERM) { puts \"ints: \#{count}\"; exit 4 }"
      output, input, pid = PTY.spawn(clean_environment, RUBY, RPERF, "record", "-o", File.join(directory, "p.txt"), "ruby", "-e", format(READY, code))
      program = read_until(output, "ready ")[/ready (\d+)/, 1].to_i
      input.write("\x03")
      read_until(output, "^C")
      Process.kill("TERM", program)
      assert_includes read_until(output, "rperf: wrote"), "ints: 1"
      assert_equal 4, Process.wait2(pid).last.exitstatus
    ensure
      [output, input].each { |io| io&.close }
    end
  end

  # After the command has ended, rperf prints the statistics, and waits for a reader of the pipe.
  {"TERM" => "TERM", "HUP" => "HUP", "QUIT" => "QUIT", "INT" => 130}.each do |name, ending|
    define_method("test_#{name}_ends_rperf_when_the_command_has_ended") do
      in_directory do |directory|
        temporary = File.join(directory, "tmp")
        Dir.mkdir(temporary)
        File.mkfifo(File.join(directory, "p.txt"))
        running = launch_rperf("record", "-v", "-o", "p.txt", "ruby", "-e", "1", directory:, env: {"TMPDIR" => temporary})
        running.await("[rperf] mode=")
        running.signal("USR1")
        running.signal(name)
        result = running.finish
        assert_equal ending, result.signal || result.code, result.inspect
        assert_empty Dir.children(temporary)
      end
    end
  end

  # As `timeout` sends it: to rperf, and to the group.
  def test_TERM_that_comes_twice_leaves_a_profile
    result, profile = while_running("", group: true) do |running|
      running.signal("TERM")
      running.signal("TERM", to: -running.pid)
    end
    assert_equal "TERM", result.signal, result.inspect
    assert_includes profile, "Kernel#sleep"
  end

  # What a second signal can do to a program that ends by the first: it comes when the profile is
  # about to be written.
  def test_a_signal_at_the_very_end_does_not_cost_the_profile
    code = <<~RUBY
      require "rperf"
      Rperf::Native.singleton_class.prepend(Module.new do
        def note_program_end
          super
          return if @interrupted
          @interrupted = true
          Process.kill(:INT, $$)
          sleep
        end
      end)
      300_000.times { |i| i.to_s }
      %s
    RUBY
    { "exit 3" => "INT", "Process.kill(:TERM, $$); sleep" => "TERM", "exec('true')" => "INT" }.each do |ending, signal|
      in_directory do |directory|
        result = rperf("record", "-o", "p.collapsed", "ruby", "-e", format(code, ending), directory:)
        assert_equal signal, result.signal, result.inspect
        refute_match(/profiled_process/, result.err)
        assert_includes File.read(File.join(directory, "p.collapsed")), "Integer#times", ending
      end
    end
  end

  # By a method that the beginning of a session of objects calls.
  EARLY = "TracePoint.trace(:call) { |point| $sent ||= Process.kill(:TERM, $$) if point.method_id == :direct? }"

  def test_a_signal_before_the_program_is_named
    in_directory do |directory|
      write_file(directory, "early.rb", EARLY)
      env = {"RUBYLIB" => Paths::LIB, "RPERF_ENABLED" => "1", "RPERF_MODE" => "heap", "RUBYOPT" => "-r./early.rb -rrperf/autostart"}
      result = run_program(RUBY, "-e", "puts 1", directory:, env:)
      assert_equal ["", "rperf: the program runs unprofiled: SignalException: SIGTERM\n"], [result.out, result.err]
    end
  end

  # An end of the program, and the code in its place in Native.note_program_end.
  DISTURBED = <<~RUBY
    require "rperf"
    Rperf::Native.singleton_class.prepend(Module.new do
      def note_program_end
        super
        return if @disturbed
        @disturbed = true
        main = Thread.current
        %<disturbance>s
      end
    end)
    %<before>s
    300_000.times { |i| i.to_s }
    %<ending>s
  RUBY

  def test_an_exit_in_the_handler_of_a_signal_at_the_very_end_does_not_cost_the_profile
    handler = "trap(:TERM) { exit 4 }"
    ["exit 3", "exit!(3)", "exec('true')"].each do |ending|
      assert_disturbed [4, ""], ending, "Process.kill(:TERM, $$); sleep", handler
    end
  end

  def test_what_other_threads_raise_at_the_very_end_does_not_cost_the_profile
    ['main.raise(IOError, "late")', 'main.raise(Exception, "late")', "main.kill", "exit 5"].each do |disturbance|
      assert_disturbed [3, ""], "exit 3", "thread = Thread.new { #{disturbance} }; Thread.pass while thread.alive?"
    end
  end

  def test_what_other_threads_raise_before_exec_is_raised_afterwards
    ending = "begin; exec('/no/such'); rescue IOError; puts $!.message; exit 3; end"
    assert_disturbed [3, "late\n"], ending, 'thread = Thread.new { main.raise(IOError, "late") }; Thread.pass while thread.alive?'
  end

  def assert_disturbed(expected, ending, disturbance, before = "")
    in_directory do |directory|
      code = format(DISTURBED, disturbance:, before:, ending:)
      result = rperf("record", "-o", "p.collapsed", "ruby", "-e", code, directory:)
      assert_equal expected, [result.code, result.out], [ending, disturbance, result]
      assert_match(/\Arperf: wrote .*\n\z/, result.err)
      assert_includes File.read(File.join(directory, "p.collapsed")), "Integer#times", ending
    end
  end

  def test_a_program_that_handles_interrupts_goes_on
    code = "count = 0; trap(:INT) { puts \"int \#{count += 1}\"; exit 4 if count > 1 }"
    result, profile = while_running(code, group: true) do |running|
      pid = running.out[/ready (\d+)/, 1].to_i
      running.signal("INT", to: pid)
      running.await_output("int 1")
      running.signal("INT", to: pid)
    end
    assert_equal 4, result.code, result.inspect
    refute_nil profile
  end

  def test_what_is_ignored_stays_ignored
    in_directory do |directory|
      code = "print [trap('HUP', 'DEFAULT'), trap('INT', 'DEFAULT'), trap('TERM', 'DEFAULT')].inspect"
      script = "trap '' HUP INT; exec \"$0\" \"$@\""
      result = run_program("/bin/sh", "-c", script, RUBY, RPERF, "record", "-o", "p", "ruby", "-e", code, directory:)
      assert_equal '["IGNORE", "IGNORE", "DEFAULT"]', result.out, result.inspect
    end
  end

  def test_what_process_spawn_would_not_leave_ignored_stays_so_too
    in_directory do |directory|
      code = "print [trap('PIPE', 'DEFAULT'), trap('CHLD', 'DEFAULT')].inspect"
      ["trap '' PIPE", "trap '' CHLD", "trap '' PIPE CHLD"].each do |script|
        words = ["/bin/sh", "-c", "#{script}; exec \"$0\" \"$@\""]
        alone = run_program(*words, RUBY, "-e", code, directory:)
        result = run_program(*words, RUBY, RPERF, "record", "-o", "p.json", "ruby", "-e", "#{code}; exit 3", directory:)
        assert_equal [alone.out, 3], [result.out, result.code], result.inspect
        assert_match(/\Arperf: wrote p\.json: /, result.err)

        result = run_program(*words, RUBY, RPERF, "record", "-o", "p.json", "no-such-command", directory:)
        assert_match(/\Arperf: cannot run 'no-such-command': command not found/, result.err)
      end
    end
  end

  # What `--pprof` hands over is a copy of the profile.
  def test_the_next_run_cleans_up_after_a_report_that_was_killed
    in_directory do |directory|
      temporary = File.join(directory, "tmp")
      Dir.mkdir(temporary)
      write_file(directory, "go", "#!/bin/sh\n[ $1 = version ] || { echo serving $$ .; exec sleep 600; }\n")
      write_file(directory, "p.collapsed", "<main>;work 100\n")
      env = {"TMPDIR" => temporary, "PATH" => [directory, ENV.fetch("PATH")].join(":")}
      report = launch_rperf("report", "--pprof", "p.collapsed", directory:, env:)
      report.await_output("serving")
      report.await_output(".")
      refute_empty Dir.children(temporary)
      report.signal(:KILL)
      report.finish
      Process.kill(:KILL, report.out[/\d+/].to_i)
      rperf("record", "true", directory:, env:)
      assert_empty Dir.children(temporary)
    end
  end

  def test_a_killed_rperf_lets_the_program_end_and_the_next_run_cleans_up
    in_directory do |directory|
      temporary = File.join(directory, "tmp")
      Dir.mkdir(temporary)
      env = {"TMPDIR" => temporary}
      code = "$stdout.sync = true; puts 'ready'; $stdin.read; puts 'done'"
      reader, writer = IO.pipe
      running = launch_rperf("record", "ruby", "-e", code, directory:, env:, input: reader)
      running.await_output("ready")
      assert_equal 1, Dir.children(temporary).length
      running.signal("KILL")
      running.finish
      assert_equal 1, Dir.children(temporary).length
      writer.close
      running_output_done(running)

      rperf("record", "ruby", "-e", "1", directory:, env:)
      assert_empty Dir.children(temporary)
    ensure
      [reader, writer].each { |io| io&.close }
    end
  end

  private

  # What comes from a terminal up to the line with this text.
  def read_until(output, text)
    seen = +""
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LIMIT
    until seen.include?(text) && seen.end_with?("\n", "^C")
      flunk "never came: #{text}, but #{seen}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      seen << output.read_nonblock(1000) if output.wait_readable(1)
    end
    seen
  rescue EOFError, Errno::EIO
    seen
  end

  # The program outlives rperf: its last word is in the file.
  def running_output_done(running) = await(-> { running.err }) { running.out.include?("done") }
end
