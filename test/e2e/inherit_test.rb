# frozen_string_literal: true

require_relative "../support/program"

# Rperf.start(inherit: ...): child processes in the profile of the program that began the session
# itself.
class InheritTest < Minitest::Test
  include ProgramSupport

  WORK = "def work(who) = Rperf.label(who:) { sleep 0.1 }\n"
  # A child, its child, and a Ruby program that is started.
  FAMILY = <<~RUBY
    fork { work("child"); fork { work("grandchild") }; Process.wait }
    system(RbConfig.ruby, "-rrperf", "-e", "Rperf.label(who: 'spawned') { sleep 0.1 }")
    Process.waitall
    work("parent")
  RUBY

  def program(code, directory, env: {})
    write_file(directory, "program.rb", "require 'rperf'\n#{WORK}#{code}")
    result = run_program(RUBY, "program.rb", directory:, env: {"RUBYLIB" => Paths::LIB, "TMPDIR" => directory}.merge(env))
    assert_equal 0, result.code, result.inspect
    assert_empty Dir.children(directory).grep(/\Arperf-/), "nothing is left behind"
    result
  end

  # {"child" => [pid, ...]}: whose work is in a file, with the numbers of their processes.
  def workers(path)
    data = Rperf.load(path)
    work = data[:samples].group_by { |sample| data[:label_sets][sample[3]][:who] }.except(nil)
    work.transform_values { |samples| samples.map { |sample| process_of(data, sample)[:pid] }.uniq }
  end

  def family(inherit, directory)
    result = program(<<~RUBY, directory)
      before = ENV.to_h
      data = Rperf.start(mode: :wall, inherit: #{inherit.inspect}, output: "p.json") do
        #{FAMILY}
      end
      p before == ENV.to_h, data[:samples].length
    RUBY
    path = File.join(directory, "p.json")
    assert_equal "true\n#{Rperf.load(path)[:samples].length}\n", result.out
    workers(path)
  end

  def test_whose_work_is_in_the_profile
    {
      false => %w[parent], :fork => %w[child grandchild parent], true => %w[child grandchild parent spawned]
    }.each do |inherit, names|
      in_directory do |directory|
        found = family(inherit, directory)
        assert_equal names, found.keys.sort
        assert_equal inherit ? names.length : 1, found.values.flatten.uniq.length, found.inspect
      end
    end
  end

  # As the recipes have it: the handler is inherited, and a child neither ends its session nor
  # writes the file.
  def test_stop_in_a_handler_that_children_inherit
    in_directory do |directory|
      program(<<~RUBY, directory)
        Rperf.start(mode: :wall, inherit: :fork)
        at_exit do
          data = Rperf.stop
          Rperf.save("p.json", data) if data
        end
        2.times { |number| fork { work("child \#{number}") } }
        Process.waitall
      RUBY
      assert_equal ["child 0", "child 1"], workers(File.join(directory, "p.json")).keys.sort
    end
  end

  def test_children_of_later_are_not_profiled
    in_directory do |directory|
      result = program(<<~RUBY, directory)
        Rperf.start(inherit: :fork) { nil }
        fork { p Rperf.running?; Rperf.start { 1 }; p Rperf.stop }
        Process.wait
        p Rperf.start { 1 }.class
      RUBY
      assert_equal "false\nnil\nRperf::DataHash\n", result.out
    end
  end

  def test_a_session_that_is_never_stopped_leaves_nothing
    in_directory { |directory| program("Rperf.start(inherit: true); fork { work('child') }; Process.wait", directory) }
  end

  # As a server does that restarts itself. The first attempt fails, and the session goes on.
  def test_a_program_that_takes_the_place_of_this_one_may_begin_a_session
    in_directory do |directory|
      write_file(directory, "program.rb", <<~RUBY)
        require "rperf"
        Rperf.start(inherit: true)
        unless ARGV.empty?
          exec("/no/such/program") rescue warn ENV.key?("RPERF_SESSION_DIR")
          exec(RbConfig.ruby, __FILE__)
        end
        puts Rperf.stop.class, ENV.keys.grep(/\ARPERF_/)
      RUBY
      result = run_program(RUBY, "program.rb", "again", directory:, env: {"RUBYLIB" => Paths::LIB, "TMPDIR" => directory})
      assert_equal [0, "Rperf::DataHash\n", "true\n"], [result.code, result.out, result.err]
    end
  end

  def test_what_the_program_puts_into_its_environment_stays
    in_directory do |directory|
      result = program(<<~RUBY, directory, env: {"RUBYOPT" => "-W1"})
        Rperf.start(inherit: true)
        ENV["RUBYOPT"] = "-W0"
        ENV.delete("RPERF_MODE")
        Rperf.stop
        p ENV["RUBYOPT"], ENV.keys.grep(/\ARPERF_/), ENV["RUBYLIB"]
      RUBY
      assert_equal "\"-W0\"\n[]\n#{Paths::LIB.inspect}\n", result.out
    end
  end

  def test_sessions_that_cannot_begin
    in_directory do |directory|
      result = program(<<~RUBY, directory)
        Rperf.start
        begin
          Rperf.start(inherit: true)
        rescue Rperf::Error => error
          puts error.message, ENV.key?("RPERF_ENABLED")
        end
        begin
          Rperf.start(inherit: :spawn)
        rescue ArgumentError => error
          puts error.message
        end
      RUBY
      assert_equal ["a session runs already: stop it with Rperf.stop before you start another", "false",
        "inherit: must be true, :fork or false, not :spawn"], result.out.lines(chomp: true)
    end
  end

  def test_children_that_leave_nothing_are_named
    in_directory do |directory|
      result = program(<<~RUBY, directory)
        reader, writer = IO.pipe
        children = nil
        data = Rperf.start(inherit: :fork) do
          children = Array.new(2) { fork { writer.write("x"); sleep } }
          reader.read(2) # Both have begun.
          Process.kill(:KILL, children.first)
          Process.wait(children.first)
        end
        Process.kill(:KILL, children.last)
        puts children, data[:comments].grep(/left no profile/)
      RUBY
      killed, running, *comments = result.out.lines(chomp: true)
      assert_equal ["process #{killed} left no profile: ended by SIGKILL, a crash or _exit, or could not write it",
        "process #{running} left no profile: still running; wait for it before the session ends"].sort, comments.sort
    end
  end

  def test_a_child_that_is_killed_leaves_the_others
    in_directory do |directory|
      program(<<~RUBY, directory)
        Rperf.start(mode: :wall, inherit: :fork, aggregate: false, output: "p.json") do
          fork { work("child") }
          Process.kill(:KILL, fork { sleep })
          work("parent")
          Process.waitall
        end
      RUBY
      assert_equal %w[child parent], workers(File.join(directory, "p.json")).keys.sort
    end
  end
end
