# frozen_string_literal: true

require_relative "../support/program"

# What the agent has of a program whose sessions begin and end, and of its end.
class AgentSessionsTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  BEGINNING = <<~RUBY
    require "rperf/agent"
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def used = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    def burn(seconds, till = used + seconds) = (9.to_s while used < till)
    def later = burn(0.5)
  RUBY

  def run_agent(text, directory)
    write_file(directory, "app.rb", BEGINNING + text)
    run_program(RUBY, "-I", Paths::LIB, "app.rb", directory:)
  end

  # Long before the period ends.
  def test_it_goes_on_soon_after_a_session_of_the_program
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        Rperf::Agent.start(push: "file:%t.json", mode: :cpu, period: 600)
        burn(0.6)
        Rperf.start(mode: :cpu)
        Rperf.stop
        till = now + 20
        sleep 0.02 until Rperf.running? || now > till
        later
        Rperf::Agent.stop(timeout: 20)
      RUBY
      assert_equal 0, result.code, result.err
      samples = Dir.glob("*.json", base: directory).flat_map { |name| Rperf.load(File.join(directory, name))[:samples] }
      seen = samples.sum { |frames, weight| frames.any? { |_path, label| label == "Object#later" } ? weight : 0 }
      assert_operator seen, :>, 0.1e9
    end
  end

  # The interval bounds what objects cost a program that runs for days.
  def test_objects_are_sampled_at_the_interval_that_was_given
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        Rperf::Agent.start(push: "file:%t.pb.gz", mode: :heap, interval: 20, period: 600)
        kept = Array.new(10_000) { Object.new }
        burn(0.6)
        Rperf::Agent.stop(timeout: 20)
      RUBY
      assert_equal 0, result.code, result.err
      comments = Dir.glob("*.heap.pb.gz", base: directory).map { |name| rperf("report", "--comments", name, directory:).out.lines(chomp: true) }
      assert_equal [true], comments.map { |lines| lines.include?("interval: 20") }.uniq, comments
    end
  end

  # Looks are far apart here: the beginning and the end of a session wake the agent, and the
  # recorder.
  AT_ONCE = <<~RUBY
    Rperf::Agent::Reporter.send(:remove_const, :LOOK)
    Rperf::Agent::Reporter::LOOK = 600
    def await(till = now + 20) = (sleep 0.01 until yield || now > till)
    Rperf::Agent.start(push: "file:%t.json", mode: :cpu, period: 600)
    burn(0.6)
    Rperf.start(mode: :wall)
    await { Dir.glob("*.cpu.json").any? }
    burn(0.6)
    Rperf.stop
    await { Rperf.running? }
    later
    Rperf::Agent.stop(timeout: 20)
  RUBY

  def test_sessions_of_the_program_are_read_from_their_beginning
    in_directory do |directory|
      result = run_agent(AT_ONCE, directory)
      assert_equal 0, result.code, result.err
      data = Dir.glob("*.json", base: directory).sort.map { |name| Rperf.load(File.join(directory, name)) }
      assert_equal %i[cpu wall cpu], data.map { |one| one[:mode] }
      assert_operator data[1][:samples].sum { |sample| sample[1] }, :>=, 0.3e9
    end
  end

  # The threads of a server may all find that none runs yet. The agent's first line in the log comes
  # before it has started: the logger waits there.
  def test_threads_that_start_it_at_the_same_time_start_one
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        begun, go = Thread::Queue.new, Thread::Queue.new
        logger = Object.new
        logger.define_singleton_method(:info) { |_line| begun << true and go.pop }
        logger.define_singleton_method(:warn) { |_line| nil }
        first = Thread.new { Rperf::Agent.start(push: "file:%t.json", logger:) }
        begun.pop(timeout: 20)
        begin
          Rperf::Agent.start(push: "file:other-%t.json")
        rescue Rperf::Error => error
          puts error.message
        end
        go.close
        first.join
        puts Rperf::Agent.running?
        Rperf::Agent.stop(timeout: 20)
      RUBY
      assert_equal [0, "the agent runs already: stop it with Rperf::Agent.stop before you start another\ntrue\n"], [result.code, result.out], result.err
    end
  end

  # It may take no lock. A refusal leaves the agent as it was.
  def test_signal_handlers
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        Rperf::Agent.start(push: "file:%t.json", period: 600)
        answers = Thread::Queue.new
        calls = [-> { Rperf::Agent.status[:destinations].length }, -> { Rperf::Agent.flush }, -> { Rperf::Agent.stop }, -> { Thread.new { Rperf::Agent.flush }.value }]
        calls.each do |call|
          trap(:USR1) { answers << (call.call rescue $!) }
          Process.kill(:USR1, Process.pid)
          p answers.pop
        end
      RUBY
      refusals = %w[flush stop].map { |name| "#<Rperf::Error: Rperf::Agent.#{name} waits for other threads, and no signal handler may: start a thread there that calls it>" }
      assert_equal ["1", *refusals, "true"], result.out.lines(chomp: true), result.err
    end
  end

  # A process that is younger than five seconds leaves nothing.
  def test_the_last_profile_waits_in_the_spool_where_the_server_is_away
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        # The identity says when the first period ends: after half of it, here.
        def (SecureRandom).uuid = "80000000-0000-4000-8000-\#{Random.hex(6)}"
        Rperf::Agent.start(push: "pprof+http://127.0.0.1:9", spool: "spool", mode: :cpu, period: 600)
        $LOAD_PATH.clear # As after chroot: nothing more can be loaded.
        burn(0.6)
        Rperf::Agent.flush(timeout: 1)
        till = now + 20
        sleep 0.02 until Rperf::Agent.status[:destinations].values.first[:last_error] || now > till
        old = now + Rperf::Agent::YOUNG
        sleep 0.02 until now > old
        later
      RUBY
      assert_equal 0, result.code, result.err
      assert_equal 2, Dir.glob("spool/*.request", base: directory).length
    end
  end

  # Each of some fifteen waits took 0.1 s for each of these threads.
  def test_the_end_beside_threads_that_compute
    in_directory do |directory|
      result = run_agent(<<~RUBY, directory)
        at_exit { puts now - $over, computing.map(&:priority).inspect }
        def computing = @computing ||= Array.new(3) { |number| Thread.new { loop { 9.to_s } }.tap { |thread| thread.priority = number } }
        Rperf::Agent.start(push: "pprof+http://127.0.0.1:9", spool: "spool", mode: :cpu, period: 600)
        computing
        old = now + Rperf::Agent::YOUNG
        sleep 0.1 until now > old
        $over = now
      RUBY
      took, priorities = result.out.lines
      assert_equal [0, "[0, 1, 2]\n", 1], [result.code, priorities, Dir.glob("spool/*.request", base: directory).length], result.err
      assert_operator took.to_f, :<, 1.0 + 2.0 # A busy machine takes some of it.
    end
  end
end
