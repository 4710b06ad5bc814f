# frozen_string_literal: true

require "socket"
require_relative "../support/program"
require_relative "../support/spent_time"

# Processes that fork, whatever else goes on in them: no process waits for ever, the parent's
# profile is whole.
class ForksTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  PRELUDE = <<~RUBY
    require #{SpentTime::BURNING.dump}
    def busy = Burning.burn(0.1)
    def names(data) = data[:samples].flat_map { |frames,| frames.map { |_path, name| name } }
  RUBY

  def run_ruby(code, env: {})
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + code)
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "program.rb", directory:, env:)
      assert_equal [0, ""], [result.code, result.err], result.inspect
      result.out
    end
  end

  # What waits in the parent takes no room from its children: each generation would have less.
  def test_many_generations_lose_no_tick
    in_directory do |directory|
      write_file(directory, "program.rb", PRELUDE + <<~RUBY)
        def generation(number)
          busy
          Process.wait(fork { generation(number - 1) }) if number > 1
        end
        generation(14)
      RUBY
      rperf("record", "-o", "p.json", "ruby", "program.rb", directory:)
      data = Rperf.load(File.join(directory, "p.json"))
      busy = data[:samples].select { |frames,| frames.any? { |_path, name| name == "Object#busy" } }
      assert_equal 14, busy.map { |sample| process_of(data, sample).fetch(:pid) }.uniq.length
      refute_includes data[:dropped], "ring full"
    end
  end

  # Hooks of threads without the GVL hold locks at any moment: the children find none of them
  # locked. (The threads do not sleep for a time. Ruby's own sleep holds a lock without the GVL: a
  # fork at that moment makes a child that hangs in `rb_thread_atfork`, without rperf in one of
  # 2,000 forks, on two busy processors.)
  {"the_poller" => false, "the_native_probe" => true}.each do |name, native|
    define_method("test_children_start_anew_whatever_other_threads_do_at_the_fork_with_#{name}") do
      assert_equal "20 of 20, true", run_ruby(<<~RUBY)
        def busy = Burning.burn(0.03)
        Rperf.start(mode: :wall, frequency: 10_000, native: #{native})
        4.times { Thread.new { loop { Thread.new {}.join } } }
        forks = 2.times.map do
          Thread.new do
            Array.new(10) do
              pid = fork do
                data = Rperf.start(mode: :wall, frequency: 10_000, native: #{native}) { busy }
                exit!(names(data).include?("Object#busy") ? 0 : 1)
              end
              Process.wait2(pid).last.success?
            end
          end
        end
        good = forks.flat_map(&:value).count(true)
        busy
        print good, " of 20, ", names(Rperf.stop).include?("Object#busy")
      RUBY
    end
  end

  # The hooks of the parent's session stay in the child, and serve its own.
  %i[cpu alloc].each do |mode|
    define_method("test_a_child_of_a_#{mode}_session_sees_its_threads_wait_for_the_gvl") do
      assert_equal "true", run_ruby(<<~RUBY)
        Rperf.start(mode: :#{mode})
        pid = fork do
          data = Rperf.start(mode: :wall) { Array.new(3) { Thread.new { busy } }.each(&:join) }
          waited = data[:samples].sum { |sample| sample.inspect.include?("[GVL wait]") ? sample[1] : 0 }
          # Three threads of 100 ms take turns: they wait for 500 ms in all.
          $stdout.syswrite(waited > 250_000_000 || waited)
          exit!
        end
        Process.wait(pid)
      RUBY
    end
  end

  # A fork copies the page tables of a large process for milliseconds. A tick that comes meanwhile
  # waits for that, and finds the program where it is afterwards.
  %i[cpu wall].each do |mode|
    define_method("test_what_a_fork_takes_is_charged_to_it_in_mode_#{mode}") do
      clock = {cpu: "THREAD_CPUTIME_ID", wall: "MONOTONIC"}.fetch(mode)
      named = run_ruby(<<~RUBY).lines.to_h { |line| line.split.then { |name, *numbers| [name, numbers.map(&:to_f)] } }
        KEPT = Array.new(200_000) { |number| number.to_s * 40 }
        SPENT = Hash.new(0)
        def now = Process.clock_gettime(Process::CLOCK_#{clock})
        def spend(name, begun = now) = yield.tap { SPENT[name] += now - begun }
        def computing = spend("computing") { Burning.burn(0.002) }
        def forking = spend("forking") { fork { exit!(0) } }
        data = Rperf.start(mode: :#{mode}) { 60.times { computing.then { Process.wait(forking) } } }
        SPENT.each do |name, spent|
          weight = data[:samples].sum { |frames, weight| frames.any? { |_path, label| label == "Object#" + name } ? weight : 0 }
          puts [name, spent, weight / 1e9].join(" ")
        end
      RUBY
      # A tenth of all (until the thread's pages are its own again ticks come late), and a quarter
      # of the time in which it stood still: what computing took beyond the 2 ms that it computes.
      tolerance = (named.values.sum(&:first) / 10) + ([named.fetch("computing").first - (60 * 0.002), 0].max / 4)
      named.each_value { |spent, weight| assert_in_delta spent, weight, tolerance, named.inspect }
    end
  end

  def test_a_fork_inside_of_the_block_and_of_a_fork
    assert_equal "[false, true, [false, true, :none], true]", run_ruby(<<~'RUBY')
      def in_child
        IO.pipe do |reader, writer|
          Process.wait(fork { writer.write(Marshal.dump(yield)); exit!(0) })
          Marshal.load(reader)
        end
      end
      report = lambda do |deeper|
        before = Rperf.running?
        inner = nil
        data = Rperf.start { busy; inner = deeper.call }
        [before, names(data).include?("Object#busy"), inner]
      end
      answer = nil
      data = Rperf.start { busy; answer = in_child { report.call(-> { in_child { report.call(-> { :none }) } }) } }
      print [*answer, names(data).include?("Object#busy")].inspect
    RUBY
  end

  # A clone that a tick interrupts is begun anew; with many pages it takes longer than the time
  # between two ticks.
  def test_a_large_process_forks_at_a_high_frequency
    [false, true].each do |native|
      assert_equal "5 of 5", run_ruby(<<~RUBY)
        pages = "x" * (200 << 20)
        Rperf.start(frequency: 10_000, native: #{native})
        Thread.new { loop { 100.times { |i| i.to_s }; Thread.pass } }
        print Array.new(5) { Process.wait2(fork { exit!(pages.bytesize == 200 << 20) }).last.success? }.count(true), " of 5"
      RUBY
    end
  end

  SERVER = <<~RUBY
    require "socket"
    server = TCPServer.new("127.0.0.1", 0)
    def answer(client)
      client.gets
      busy
      client.puts($$)
      client.close
    end
    workers = 3.times.map do
      fork do
        trap(:TERM) { %s }
        loop { answer(server.accept) }
      end
    end
    trap(:TERM) { workers.each { |pid| Process.kill(:TERM, pid) } }
    $stdout.syswrite("port \#{server.addr[1]}\\n")
    Process.waitall
  RUBY

  # What the workers of well-known servers do when they are told to end.
  %w[exit exit!].each do |ending|
    define_method("test_a_preforking_server_whose_workers_#{ending}") do
      in_directory do |directory|
        write_file(directory, "server.rb", PRELUDE + format(SERVER, ending))
        running = launch_rperf("stat", "-m", "wall", "-o", "p.json", "ruby", "server.rb", directory:)
        running.await_output("\n")
        pids = Array.new(6) { ask(running.out[/port (\d+)/, 1].to_i) }
        running.signal("TERM")
        result = running.finish
        assert_equal 0, result.code, result.inspect
        assert_match(/^ +4 +\[OS\] processes$/, result.err)
        refute_match(/left no profile/, result.err)
        assert_equal pids.uniq.sort, pids_with("Object#answer", Rperf.load(File.join(directory, "p.json")))
      end
    end
  end

  # Recordings, and what waits in a spool: children that end while a thread writes had written a
  # part of them again.
  def test_files_are_written_once_whoever_forks_meanwhile
    code = <<~RUBY
      require "rperf/private_directory"
      directory = Rperf::PrivateDirectory.new("files", "the directory")
      children = []
      writers = Array.new(4) do |writer|
        Thread.new { (1..).each { |i| children.length < 200 ? directory.write("\#{writer}-\#{i}", "x" * 5000) : break } }
      end
      200.times { sleep 0.001; children << fork { exit } }
      [*writers, *children.map { |pid| Process.detach(pid) }].each(&:join)
      p Dir.glob("files/*").map { |path| File.size(path) }.uniq
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf", "-e", code, directory:)
      assert_equal ["[5000]\n", "", 0], [result.out, result.err, result.code]
    end
  end

  # The plain beginning fails, then all of rperf tries it again.
  def test_a_session_that_cannot_start_leaves_the_ends_and_forks_of_the_program_alone
    in_directory do |directory|
      code = 'Process.wait(fork { print "child " }); Process.wait(fork { exec("true") }); print "ran"; $stdout.flush; exit!(3)'
      result = rperf("record", "ruby", "-e", code, directory:, env: {"RPERF_TRACE" => "/no/such/trace"})
      assert_equal [3, "child ran"], [result.code, result.out], result.inspect
      assert_match(/\Arperf: 3 processes \([^)]*\) could not be profiled: the trace \/no\/such\/trace cannot be written [^\n]*\n\z/, result.err)
    end
  end

  private

  # The number of the worker that answered.
  def ask(port)
    TCPSocket.open("127.0.0.1", port) do |socket|
      socket.puts
      socket.gets.to_i
    end
  end

  def pids_with(name, data)
    samples = data[:samples].select { |frames,| frames.any? { |_path, label| label == name } }
    # A worker that was never asked waits in accept, below no method of its own.
    samples.map { |sample| process_of(data, sample).fetch(:pid) }.uniq.sort
  end
end
