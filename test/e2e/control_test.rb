# frozen_string_literal: true

require_relative "../support/controlled"
require_relative "../support/push_server"

# Processes that are controlled while they run: `rperf ps`, `status`, `start`, `stop`.
class ControlTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  def test_nothing_listens_unless_it_is_asked_for
    controlled(env: {"RPERF_CONTROL" => "0"}) do |program, directory|
      refute_path_exists File.join(directory, "rperf")
      assert_match(/\Arperf: process #{program.pid} has no control socket: /, control("status", program.pid, directory:).err)
    end
  end

  CLOSE_ALL = "ObjectSpace.each_object(IO) { |io| io.close unless [$stdin, $stdout, $stderr].include?(io) }\n"

  # As the gem daemons does, which delayed_job uses.
  def test_a_program_that_closes_all_that_is_open
    controlled(CLOSE_ALL + BUSY) do |program, directory|
      await("a socket") { control("status", program.pid, directory:).code.zero? }
      assert_equal ["#{program.pid}.sock"], sockets(directory)
    end
  end

  REFUSED = <<~RUBY
    require "rperf/agent"
    $stdout.sync = true
    def burn(till = now + 0.7) = (9.to_s while now < till)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    Rperf::Agent.start(push: ENV.fetch("STORE"), mode: "cpu", period: 600, max_overhead: 1)
    burn
    Rperf::Agent.flush(timeout: 60)
    puts "ready"
    sleep
  RUBY

  # It can be seen what a store refuses.
  def test_a_profile_that_a_store_has_refused
    store = PushServer.new { [422, {}, "labels are missing"] }
    url = "pprof+http://127.0.0.1:#{store.port}"
    controlled(REFUSED, env: {"STORE" => url}) do |program, directory|
      assert_match(/^agent: #{Regexp.escape(url)}: 0 of 1 profiles sent, 1 dropped \(rejected\), last error: 422 labels are missing$/,
                   control!("status", program.pid, directory:))
      assert_equal({taken: 1, dropped: {rejected: 1}}, status(program, directory:).dig(:agent, :destinations, url.to_sym).slice(:taken, :dropped))
      control!("status", program.pid, "--rejected", "refused.json", directory:)
      labels = Rperf.load(File.join(directory, "refused.json"))[:samples].flat_map { |frames,| frames.map(&:last) }
      assert_includes labels, "Object#burn"
    end
  ensure
    store.close
  end

  SPOOLED = <<~RUBY
    $stdout.sync = true
    require "rperf/agent"
    profile = Rperf::Native::Profile.from_h(Rperf.start { 10_000.times(&:to_s) })
    Rperf::Agent.start(push: "pprof+http://127.0.0.1:9", spool: "spool", period: 600)
    12.times { Rperf::Agent.push(profile) }
    puts "ready"
    sleep
  RUBY

  def test_profiles_in_a_spool
    controlled(SPOOLED) do |program, directory|
      assert_match(/: 0 of 12 profiles sent, 8 wait, 4 put into the spool(, last error: Connection refused)?$/, control!("status", program.pid, directory:))
    end
  end

  def test_no_profile_was_refused
    controlled do |program, directory|
      result = control("status", program.pid, "--rejected", "refused.json", directory:)
      assert_match(/: no destination of an agent has refused a profile of this process\n\z/, result.err)
      assert_equal [1, false], [result.code, File.exist?(File.join(directory, "refused.json"))]
    end
  end

  def test_ps_and_status
    controlled do |program, directory|
      assert_match(/\A *PID  SESSION  PROGRAM\n *#{program.pid}  none     app\.rb\n\z/, control!("ps", directory:))
      status = status(program, directory:)
      assert_equal [program.pid, "app.rb", RUBY_DESCRIPTION, Rperf::VERSION, nil], status.values_at(:pid, :program, :ruby, :rperf, :session)
      assert_includes control!("status", program.pid, directory:), "session: none\n"
    end
  end

  def test_a_session_from_outside
    controlled do |program, directory|
      control!("start", program.pid, "--mode", "wall,alloc", "--frequency", "200", directory:)
      session = status(program, directory:).fetch(:session)
      assert_equal [%w[wall alloc], 200, "control"], session.values_at(:modes, :frequency, :started_by)
      assert_includes control!("ps", directory:), "wall and alloc at 200 Hz for "
      control!("stop", program.pid, "-o", "wall.json", directory:)
      assert_nil status(program, directory:)[:session]
      assert_includes control!("status", program.pid, directory:), "kept: the wall and alloc profile"
      control!("stop", program.pid, "--mode", "alloc", "-o", "alloc.pb.gz", directory:)
      wall, alloc = %w[wall.json alloc.pb.gz].map { |name| Rperf.load(File.join(directory, name)) }
      assert_equal [:wall, 200, :alloc], [*wall.values_at(:mode, :frequency), alloc[:mode]]
      assert_includes labels(wall), "Object#burn"
      refute(labels(wall).any? { |label| label.include?("Rperf") })
    end
  end

  # Threads of rperf itself, which wait for requests and answer them, are not in the profile.
  def test_own_threads_are_not_in_the_profile
    controlled("Thread.report_on_exception = true; $stdout.sync = true; puts 'ready'; sleep") do |program, directory|
      control!("start", program.pid, "--mode", "wall", directory:)
      control!("stop", program.pid, "-o", "wall.json", directory:)
      data = Rperf.load(File.join(directory, "wall.json"))
      assert_equal ["<main>"], data[:samples].map { |frames,| frames.last[1] }.uniq
    end
  end

  def test_a_session_ends_by_itself
    controlled do |program, directory|
      control!("start", program.pid, "--seconds", "5", directory:)
      result = control("start", program.pid, directory:)
      assert_equal [1, "rperf: process #{program.pid} refuses: a session runs already (cpu): stop it first, or take profiles of it\n"],
                   [result.code, result.err]
      await("the session's end") { status(program, directory:)[:session].nil? }
      stopped = control("stop", program.pid, directory:)
      assert_match(/\Arperf: wrote rperf\.data: [\d,]+ samples?, \d+(\.\d+)? m?s of CPU time[^;\n]*; look at it with: rperf report\n\z/, stopped.err)
      assert_includes labels(Rperf.load(File.join(directory, "rperf.data"))), "Object#burn"
    end
  end

  def test_no_thread_of_a_session_stays
    text = <<~RUBY
      require "rperf/control"
      3.times do
        Rperf::Control::GuestSession.start(Rperf::Options.from_keywords({}), seconds: 600)
        Rperf::Control::GuestSession.stop
      end
      till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
      sleep 0.01 until Thread.list.one? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > till
      puts Thread.list.one? ? "alone" : Thread.list.inspect
    RUBY
    in_directory { |directory| assert_equal "alone\n", run_program(RUBY, "-I", Paths::LIB, "-e", text, directory:).out }
  end

  OWN_SESSION = <<~RUBY
    $stdout.sync = true
    Rperf.start(mode: :wall) if ARGV.delete("runs")
    trap(:USR1) do
      Thread.new do
        puts "stop: \#{Rperf.stop.inspect}"
        Rperf.start(mode: :wall)
        puts "mode: \#{Rperf.stop[:mode]}"
      end
    end
    puts "ready"
    loop { sleep 0.01 }
  RUBY

  def test_a_session_from_outside_gives_way_to_the_programs
    controlled(OWN_SESSION) do |program, directory|
      control!("start", program.pid, directory:)
      program.signal(:USR1)
      program.await_output("mode: wall")
      assert_includes program.out, "stop: nil\n"
      assert_equal "", program.err
      assert_match(/refuses: no session runs/, control("stop", program.pid, directory:).err)
    end
  end

  def test_a_session_of_the_program_is_left_alone
    controlled("Rperf.start(mode: :wall)\n#{BUSY}") do |program, directory|
      assert_includes control!("status", program.pid, directory:), "started by the program\n"
      assert_match(/refuses: a session runs already \(wall\), which the program has started and ends: take profiles of it\n\z/, control("start", program.pid, directory:).err)
      assert_match(/was started by the program, which ends it/, control("stop", program.pid, directory:).err)
      assert status(program, directory:)[:session]
    end
  end

  FORKS = <<~RUBY
    require "rbconfig"
    $stdout.sync = true
    def wait = sleep
    child = fork { trap(:TERM) { exit 4 }; puts "child"; wait }
    trap(:USR1) { Process.kill(:TERM, child) }
    trap(:TERM) { exit 3 }
    trap(:USR2) { exec(RbConfig.ruby, "-e", "$stdout.sync = true; puts 'anew'; sleep") }
    puts "ready \#{child}"
    Process.wait(child)
    puts "ended: \#{$?.exitstatus}"
    wait
  RUBY

  def test_a_forked_child_has_its_own_socket_and_each_goes_with_its_process
    controlled(FORKS) do |program, directory|
      program.await_output("child")
      child = program.out[/ready (\d+)/, 1].to_i
      assert_equal ["#{child}.sock", "#{program.pid}.sock"].sort, sockets(directory)
      control!("start", child, directory:)
      assert_nil status(program, directory:)[:session]
      program.signal(:USR1)
      program.await_output("ended: 4\n")
      assert_equal ["#{program.pid}.sock"], sockets(directory)
      program.signal(:TERM)
      assert_equal 3, program.finish.code
      assert_empty sockets(directory)
      assert_match(/\Arperf: there is no process \d+: 'rperf ps' lists those that can be controlled\n\z/, control("status", program.pid, directory:).err)
    end
  end

  def test_stale_sockets_go
    controlled(FORKS) do |program, directory|
      program.await_output("child")
      program.signal(:USR2)
      program.await_output("anew")
      assert_includes sockets(directory), "#{program.pid}.sock"
      refute_match(/^ *#{program.pid} /, control!("ps", directory:))
      refute_includes sockets(directory), "#{program.pid}.sock"
      Process.kill(:KILL, Integer(program.out[/ready (\d+)/, 1]))
    end
  end

  # They end without a word.
  def test_sockets_of_many_short_children
    controlled("20.times { Process.wait(fork { exit!(0) }) }\n$stdout.sync = true\nputs :ready\nsleep") do |program, directory|
      assert_includes [1, 2], sockets(directory).length
      assert_includes sockets(directory), "#{program.pid}.sock"
    end
  end

  DAEMON = <<~'RUBY'
    $stdout.sync = true
    Process.wait(fork { Process.daemon(true, true); puts "ready #{Process.pid}"; sleep })
    sleep
  RUBY

  def test_a_daemon
    controlled(DAEMON) do |program, directory|
      daemon = Integer(program.out[/ready (\d+)/, 1])
      assert_equal [daemon, program.pid].sort, sockets(directory).map(&:to_i).sort
      assert_match(/^ *#{daemon}  none +app\.rb$/, control!("ps", directory:))
      Process.kill(:TERM, daemon)
      await("the daemon's end") { sockets(directory) == ["#{program.pid}.sock"] }
    end
  end

  def test_status_exit_and_output_of_the_program_stay
    text = "at_exit { puts 'bye' }; Thread.abort_on_exception = true; puts 'ready'; exit 7"
    in_directory do |directory|
      result = run_program(RUBY, "-rrperf", "-e", text, directory:, env: {"RUBYLIB" => Paths::LIB, "RPERF_CONTROL" => "1", "XDG_RUNTIME_DIR" => directory})
      assert_equal [7, "ready\nbye\n", ""], [result.code, result.out, result.err]
      assert_empty sockets(directory)
    end
  end

  SIGNAL = "$stdout.sync = true\nRperf::Control.start(signal: 43)\n"

  def test_a_signal
    controlled(SIGNAL + BUSY, env: {"RPERF_CONTROL" => "0"}) do |program, directory|
      program.signal(43)
      Thread.pass until status(program, directory:)[:session]
      program.signal(43)
      Thread.pass while status(program, directory:)[:session]
      control!("stop", program.pid, "-o", "kept.json", directory:)
      assert_equal :cpu, Rperf.load(File.join(directory, "kept.json"))[:mode]
    end
  end

  # The child's own, and what the program does itself.
  def test_a_signal_in_a_forked_child_and_one_that_is_in_use
    text = <<~RUBY
      $stdout.sync = true
      Rperf::Control.start(signal: 43, socket: false)
      fork do
        Process.kill(43, Process.pid)
        Thread.pass until Rperf::Control::GuestSession.own?
        puts Rperf::Control.addresses
      end
      Process.wait
      p Rperf::Control::GuestSession.own?
      Rperf::Control.stop
      p Signal.trap(43, "IGNORE"), Rperf::Control.addresses
      [43, 9, "USR1"].each { |signal| Rperf::Control.start(signal:, socket: false) rescue puts $!.message }
      Rperf.start
      Signal.trap(43, "DEFAULT")
      Rperf::Control.start(signal: 43, socket: false)
      $stderr = StringIO.new
      Process.kill(43, Process.pid)
      Thread.pass until $stderr.string.end_with?("\n")
      puts $stderr.string
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-w", "-rstringio", "-rrperf", "-rrperf/control", "-e", text, directory:, env: {"RUBYLIB" => Paths::LIB})
      lines = result.out.lines(chomp: true)
      assert_equal ["signal 43", nil.inspect, '"SYSTEM_DEFAULT"', "[]", "the program handles the signal 43 itself: take another one (signal:)"], lines.first(5), result.inspect
      lines[5, 2].zip(["9", '"USR1"']) { |line, value| assert_equal "signal: must be the number of a real-time signal, 34 to 64, such as 43, not #{value}", line }
      assert_match(/\Arperf: the signal 43 changes nothing: a session runs already/, lines[7])
      assert_equal ["", 0], [result.err, result.code]
    end
  end

  def test_a_title_that_would_control_the_terminal_is_shown_in_one_short_line
    controlled("$stdout.sync = true\n$0 = %(a\\e[31m\\nb\#{?c * 300})\nputs :ready\nsleep\n") do |program, directory|
      shown = "a\u{fffd}[31m\u{fffd}b#{"c" * 92}"
      assert_equal "#{program.pid}  none     #{shown}", control!("ps", directory:).lines(chomp: true).last.strip
      assert_equal "process #{program.pid}: #{shown}", control!("status", program.pid, directory:).lines(chomp: true).first
    end
  end

  def test_wrong_words
    controlled do |program, directory|
      {["start"] => "no process was named", %w[start 1 2] => "takes one process, but 2 words", %w[status foo] => "'foo' is no number of a process",
       %w[ps x] => "'rperf ps' takes no arguments", [*%w[start --seconds 601], program.pid] => "--seconds must be a whole number from 1 to 600",
       [*%w[start --mode heat], program.pid] => "--mode must be cpu, wall",
       [*%w[attach --mode alloc --frequency 99], program.pid] => "(--frequency) belongs to the modes cpu and wall, not to alloc",
       [*%w[top --interval 9], program.pid] => "(--interval) belongs to the modes alloc and heap, not to cpu"}.each do |words, sentence|
        result = control(*words, directory:)
        assert_equal 2, result.code, words.inspect
        assert_match(/\Arperf: .*#{Regexp.escape(sentence)}.*\n\z/, result.err)
      end
    end
  end

  private

  def labels(data) = data[:samples].flat_map { |frames,| frames.map { |_path, label| label } }.uniq
end
