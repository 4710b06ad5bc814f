# frozen_string_literal: true

require_relative "../support/program"

# What tests of Ruby itself do: deep stacks that write, a collection for each object, methods of
# Ruby's own classes that do something else. Found by running these tests under `rperf record`.
class UnusualProgramsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Says how much CPU time its writes take, each of which gives up the GVL, below so many frames.
  DEEP = <<~RUBY
    def down(frames, &block) = frames.zero? ? block.call : down(frames - 1, &block)
    now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
    File.open(File::NULL, "w") do |file|
      file.sync = true
      begun = now.call
      down(Integer(ARGV.first)) { 20_000.times { file.write(".") } }
      print now.call - begun
    end
  RUBY
  # Seconds of CPU time. Alone it takes some 0.03, under rperf 0.2 to 0.5, and to 0.8 beside four
  # busy processes. A stack of 9,000 frames takes 0.2 to 0.8 ms: where each tick or each write paid
  # for one it took 5 to 100, where what a tick took at a safepoint had more writes measured 1.5 to
  # 7.8, and where a tick asked for a safepoint while one was taken 0.5, or 1.6 beside four.
  DEEP_LIMIT = 1.5

  def test_a_deep_stack_does_not_make_each_write_dear
    [["poll", []], ["safepoint", %w[--signal none]]].product(%w[cpu wall]) do |(name, engine), mode|
      in_directory do |directory|
        result = rperf("record", "-f", "5000", "-m", mode, *engine, "-o", "p.json", "ruby", "-e", DEEP, "9000", directory:)
        assert_operator Float(result.out), :<, DEEP_LIMIT, "#{name}, #{mode}: #{result.err}"
      end
    end
  end

  # Seconds of CPU time. With `GC.stress` the thousands of objects that rperf makes at the end took
  # it 10; alone this takes 0.1.
  STRESS_LIMIT = 3.0

  def test_a_program_that_ends_with_a_collection_for_each_object
    ["", "fork { GC.stress or exit 5 }; Process.wait; exit $?.exitstatus"].each do |more|
      in_directory do |directory|
        before = Process.times.cutime
        result = rperf("record", "-o", "p.json", "ruby", "-e", "at_exit { print GC.stress }; GC.stress = true; #{more}", directory:)
        assert_operator Process.times.cutime - before, :<, STRESS_LIMIT, result.inspect
        assert_equal 0, result.code, result.inspect
        assert_match(/\A(true)+\z/, result.out)
        assert_path_exists File.join(directory, "p.json")
      end
    end
  end

  # Makes objects while it is told what rperf keeps.
  REFERENCES = <<~RUBY
    require "objspace"
    2.times do
      ObjectSpace.each_object { |object| ObjectSpace.reachable_objects_from(object) }
      ObjectSpace.reachable_objects_from_root
      File.open(File::NULL, "w") { |file| ObjectSpace.dump_all(output: file) }
      GC.compact
    end
    print "ended"
  RUBY

  def test_the_references_of_all_objects
    [%w[-m cpu -f 5000], %w[-m alloc -i 20], %w[-m heap -i 20], %w[-m heap -i 1 --watch event]].each do |options|
      in_directory do |directory|
        result = rperf("record", *options, "-o", "p.json", "ruby", "-e", REFERENCES, directory:)
        assert_equal [0, "ended"], [result.code, result.out], "#{options}: #{result.inspect}"
        assert_operator Rperf.load(File.join(directory, "p.json"))[:samples].sum(&:count), :>, 10
      end
    end
  end

  def test_exceptions_of_proofs_are_not_told
    in_directory do |directory|
      [[], %w[-m heap]].each do |options|
        result = rperf("record", *options, "-o", "p.json", "ruby", "--debug", "-e", "$DEBUG or exit 1", directory:)
        assert_equal [0, 1], [result.code, result.err.lines.length], result.inspect
      end
    end
  end

  # What is left of the process's figures makes no sense.
  def test_a_program_that_changes_whole_numbers
    in_directory do |directory|
      %w[record stat].each do |command|
        result = rperf(command, "ruby", "-e", "class Integer; def -(other) = nil; end; exit 3", directory:)
        assert_equal 3, result.code, result.inspect
        assert_empty result.err.lines.grep(/from |Error/), result.err
      end
    end
  end

  def test_what_fails_in_methods_that_a_program_has_changed_is_named
    in_directory do |directory|
      result = rperf("record", "-o", "p.json", "ruby", "-e", "class Array; def include?(*) = raise(IOError, ''); end", directory:)
      assert_equal 0, result.code
      assert_match(/\Arperf: process \d+ could not be profiled: IOError: \n/, result.err)
    end
  end

  # As Timecop does with `mock_process_clock`.
  # `ruby -0777` and `-F,` set some of them, too.
  def test_a_program_with_separators_of_its_own
    own = '$VERBOSE = nil; $, = "-"; $; = ","; $/ = "x"'
    in_directory do |directory|
      write_file(directory, "program.rb", <<~RUBY)
        require "rperf/viewer"
        data = {samples: [[[["program.rb", "A#a"]], 5, 1, 0]]}
        viewer = Rperf::Viewer.new(permit: proc { true })
        2.times { viewer.add_snapshot(data) }
        written = proc do
          Rperf.save("p.html", data)
          [File.read("p.html"), Rperf.diff(data, data), viewer.call({"PATH_INFO" => "/", "REQUEST_METHOD" => "GET"}).last.to_a]
        end
        usual = written.call
        #{own}
        print usual == written.call
      RUBY
      result = run_program(RUBY, "program.rb", directory:, env: {"RUBYLIB" => Paths::LIB})
      assert_equal ["true", ""], [result.out, result.err]
      env = {"RUBYLIB" => Paths::LIB, "RPERF_ENABLED" => "1", "RPERF_STAT" => "1", "RPERF_MODE" => "alloc", "RPERF_INTERVAL" => "1", "RPERF_VERBOSE" => "1"}
      result = run_program(RUBY, "-rrperf", "-e", "#{own}; 9.times { Object.new }", directory:, env:)
      [/\A\[rperf\] mode=alloc .*\n\[rperf\] /, /^ +[\d.]+ ms +user\n +[\d.]+ ms +sys\n/, /^ +[\d.]+ k?B +that they take /].each { |lines| assert_match lines, result.err }
    end
  end

  def test_a_program_that_stops_the_clock
    code = "def Process.clock_gettime(*) = 5; 100_000.times(&:to_s)"
    in_directory do |directory|
      result = rperf("record", "-m", "both", "-o", "p.json", "ruby", "-e", code, directory:)
      assert_equal 0, result.code, result.inspect
      assert_equal(%i[cpu wall], %w[cpu wall].map { |name| Rperf.load(File.join(directory, "p.#{name}.json"))[:mode] })

      env = {"RPERF_ENABLED" => "1", "RPERF_STAT" => "1", "RPERF_MODE" => "wall", "RUBYOPT" => "-r#{ROOT}/lib/rperf/autostart"}
      assert_match(/^ +[1-9][\d.,]* ms +real$/, run_program(RUBY, "-e", code, directory:, env:).err)
    end
  end

  # What Minitest's `stub` does: another method for a while, and then the old one by its alias.
  STUBBED = <<~RUBY
    {Process => %i[_fork daemon exec exit!], Kernel => %i[exec exit!]}.each do |owner, names|
      names.each do |name|
        owner.singleton_class.class_eval do
          alias_method :stubbed, name
          define_method(name) { |*| :stub }
          raise name.inspect unless owner.public_send(name) == :stub
          undef_method name
          alias_method name, :stubbed
          undef_method :stubbed
        end
      end
    end
    Process.wait(fork { Process.daemon(true) })
    Process.wait(fork { Process.exit!(true) })
    Process.wait(fork { Kernel.exec("echo", "executed") })
    print Object.ancestors, Process.singleton_class.ancestors.first, Kernel.instance_method(:exec).owner
    exec "true"
  RUBY

  def test_a_program_that_puts_methods_back
    in_directory do |directory|
      result = rperf("record", "-o", "p.json", "ruby", "-w", "-e", STUBBED, directory:)
      alone = run_program(RUBY, "-w", "-e", STUBBED, directory:)
      assert_equal [alone.code, alone.out.lines], [result.code, result.out.lines]
      assert_match(/\Arperf: wrote p\.json: .* 5 processes(?:, \d+ samples? \([^)]+\) dropped)?;/, result.err)
    end
  end

  # As ActiveSupport's ForkTracker, and what gems do that follow the process.
  PREPENDED = <<~RUBY
    more = Module.new do
      %i[_fork daemon exec exit!].each { |name| define_method(name) { |*words| $seen << name; super(*words) } }
    end
    $seen = []
    [Process.singleton_class, Kernel.singleton_class, Kernel].each { |owner| owner.prepend(more) }
    Rperf.start(output: "p.json", inherit: true)
    Process.wait(fork { exit!(true) })
    begin
      Process.exec("/nonexistent")
    rescue Errno::ENOENT
      print $seen
    end
    Rperf.stop
  RUBY

  def test_methods_that_others_have_prepended_before
    in_directory do |directory|
      result = run_program(RUBY, "-I#{Paths::LIB}", "-rrperf", "-e", PREPENDED, directory:)
      assert_equal [0, "[:_fork, :exec]", ""], [result.code, result.out, result.err]
      assert_equal 2, Rperf.load(File.join(directory, "p.json"))[:processes].length
    end
  end

  # At the end of such a child there is no frame of Ruby code.
  def test_a_thread_that_forks
    code = 'Thread.new { (io = IO.popen("-")) ? Process.wait2(io.pid)[1].then { |status| print status.exitstatus, io.read } : exit(4) }.join'
    in_directory do |directory|
      result = rperf("record", "-o", "p.json", "ruby", "-e", code, directory:)
      assert_equal [0, "4"], [result.code, result.out], result.err
      assert_match(/\Arperf: wrote p\.json: .* 2 processes/, result.err)
    end
  end

  # (In Ruby 3.4 such a child may crash when it does more. It is not profiled.)
  def test_a_ractor_that_forks
    code = "print Ractor.new { [[4, fork { exit!(4) }], [0, fork { exec('true') }]].all? { |status, pid| Process.wait2(pid)[1].exitstatus == status } }.take"
    in_directory do |directory|
      result = rperf("record", "-o", "p.json", "ruby", "-W0", "-e", code, directory:)
      assert_equal [0, "true"], [result.code, result.out], result.err
      assert_match(/\Arperf: wrote p\.json: /, result.err)
    end
  end

  # Tracers that go on to the end: what rperf does there is not told.
  TRACERS = [
    "TracePoint.trace(:call, :c_call, :b_call, :line, :class, :raise, :script_compiled) { |point| puts point.event }",
    "set_trace_func(proc { |*event| puts event.first(3) })",
    "TracePoint.trace(:return) { |point| puts point.path }; at_exit { exit 3 }",
    "trap(:TERM) { exit 4 }; TracePoint.trace(:call) { |point| puts point.path }; Process.kill(:TERM, $$); sleep"
  ].freeze

  def test_a_program_that_is_traced
    endings = ["1", "exit 5", "raise 'no'", "exit!(6)", "Process.exit!(7)", "exec('true')"]
    TRACERS.product(endings).each do |tracer, ending|
      code = "$stdout.sync = true; #{tracer}\n#{ending}"
      in_directory do |directory|
        alone = run_program(RUBY, "-W0", "-e", code, directory:)
        result = rperf("record", "-o", "p.json", "ruby", "-W0", "-e", code, directory:)
        # In the place of Ruby's exec and exit! there are methods in Ruby that call another: some
        # events more. Untraced, what rperf does there would be thousands.
        assert_includes 0..(ending.match?(/exit!|exec/) ? 60 : 0), result.out.lines.length - alone.out.lines.length, code
        assert_equal alone.code, result.code, code
        assert_path_exists File.join(directory, "p.json"), code
      end
    end
  end

  # A debugger waits in the event of compiled code for a thread that a forked child has no more.
  def test_forked_children_that_are_traced
    code = <<~RUBY
      $stdout.sync = true
      begin
        raise "handled"
      rescue
        TracePoint.trace(:call, :raise, :script_compiled) { |point| puts point.path }
        at_exit { Process.wait(fork { p $! }); p $! }
        Process.wait(fork { p $! })
        p $!
        exit
      end
    RUBY
    in_directory do |directory|
      alone = run_program(RUBY, "-d", "-e", code, directory:)
      result = rperf("record", "-o", "p.json", "ruby", "-d", "-e", code, directory:)
      # In the place of Process._fork there is a method in Ruby.
      hooks, rest = result.out.lines.partition { |line| line.match?(/internal|process_hooks/) }
      assert_equal alone.out, rest.join
      assert_operator hooks.length, :<, 20
      assert_equal alone.err, result.err.sub(/^rperf: wrote .*\n/, "")
    end
  end

  # Ruby ends with status 1 after an exception of a handler.
  def test_what_parts_of_rperf_fail_with_at_the_end
    code = "class << Thread; def list = raise('mine'); end; class << File; def unlink(*) = raise('mine'); end; exit 3"
    {["RPERF_CONTROL", "1"] => "", ["RPERF_RECORDER", "1"] => "rperf: the recorder has not finished: mine\n",
     ["RPERF_PUSH_URL", "file:%t-%p.pb.gz"] => "rperf: the agent has not finished: mine\n"}.each do |(name, value), sentence|
      in_directory do |directory|
        result = run_program(RUBY, "-W0", "-I#{Paths::LIB}", "-rrperf", "-e", code, directory:, env: {name => value, "XDG_RUNTIME_DIR" => directory})
        assert_equal [3, sentence], [result.code, result.err.sub(/^rperf: profiles of .*\n/, "")], name
      end
    end
  end

  # rperf compiles an empty text at each of these.
  def test_a_program_that_measures_the_coverage_of_eval
    code = "require 'coverage'; Coverage.start(eval: true, lines: true); eval('1', nil, 'mine', 1); Process.wait(fork { }); p Coverage.result"
    %w[prism parse.y].each do |parser|
      in_directory do |directory|
        alone = run_program(RUBY, "--parser=#{parser}", "-e", code, directory:)
        assert_match(/\A{"mine" => /, alone.out)
        assert_equal alone.out, rperf("record", "-o", "p.json", "ruby", "--parser=#{parser}", "-e", code, directory:).out
      end
    end
  end
end
