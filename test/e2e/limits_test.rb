# frozen_string_literal: true

require_relative "../support/program"

# Machines that refuse something: memory, descriptors, threads. The program goes on without what
# rperf cannot have, which a sentence says.
class LimitsTest < Minitest::Test
  include ProgramSupport

  PARTS = {"RPERF_CONTROL" => "1", "RPERF_RECORDER" => "directory=recordings", "RPERF_PUSH_URL" => "file:%t.pb.gz",
           "RPERF_PUSH_PERIOD" => "1"}.freeze
  # As Ruby says it where the system gives no native thread.
  NO_THREAD = "def Thread.new(...) = raise(ThreadError, \"can't create Thread: Resource temporarily unavailable\"); "

  # Runs the code with all parts under a limit of the shell, and returns the result.
  def with_parts(code, limit: "true", directory:, words: ["-rrperf"])
    run_program("/bin/sh", "-c", "#{limit} && exec \"$@\"", "sh", RUBY, "-I", Paths::LIB, *words, "-e", code, directory:,
      env: {**PARTS, "XDG_RUNTIME_DIR" => directory})
  end

  def assert_goes_on(result, sentences = 1..)
    assert_equal [4, "done"], [result.code, result.out], result.inspect
    assert_includes sentences, result.err.lines.grep(/\Arperf: /).length, result.err
    assert_empty result.err.lines.grep_v(/\Arperf: /)
  end

  # Each thread takes 64 MiB of addresses for its allocator.
  def test_few_addresses
    code = "200_000.times { |i| i.to_s }; Rperf.dump; Rperf::Agent.flush; print :done; exit 4"
    in_directory do |directory|
      [230_000, 300_000].each do |kibibytes|
        result = with_parts(code, limit: "ulimit -v #{kibibytes}", directory:)
        assert_goes_on(result)
        assert_match(/too little further memory for rperf: raise its limit \(ulimit -v\)$/, result.err)
      end
    end
  end

  def test_a_session_takes_few_addresses
    code = "require 'rperf'; taken = -> { File.read('/proc/self/maps')[/^(\\h+)-(\\h+).*memfd:rperf/] && ($2.hex - $1.hex) }; print Rperf.start { $taken = taken.call } ? $taken : 0"
    in_directory { |directory| assert_operator Integer(with_parts(code, directory:, words: []).out), :<=, 2 << 20 }
  end

  # A part takes what is free, and may be the last that finds it.
  def test_few_descriptors
    in_directory do |directory|
      (6..12).each { |limit| assert_goes_on(with_parts("print :done; exit 4", limit: "ulimit -n #{limit}", directory:)) }
    end
  end

  def test_no_thread_for_the_parts
    write = ->(directory) { write_file(directory, "none.rb", NO_THREAD) }
    in_directory do |directory|
      result = with_parts("p Rperf.running?, Dir['rperf/*.sock']; print :done; exit 4", directory:, words: ["-r", write.(directory), "-rrperf"])
      assert_equal [4, "false\n[]\ndone"], [result.code, result.out], result.inspect
      assert_match(/\Arperf: the program cannot be controlled: .*\nrperf: the recorder does not run: .*\nrperf: the agent does not run: .*\n\z/, result.err)
    end
  end

  # Nothing of a part that could not start goes on: no session without readers, no handler.
  def test_no_thread_later
    code = <<~RUBY
      require "rperf/control"
      require "rperf/recorder"
      require "rperf/agent/agent"
      Rperf.start { }
      #{NO_THREAD}
      errors = [
        -> { Rperf::Control.start },
        -> { Rperf::Control.start(socket: false, signal: 43) },
        -> { Rperf::Control::GuestSession.start(Rperf::Options.from_keywords({}), seconds: 60) },
        -> { Rperf::Recorder.start(directory: "recordings") },
        -> { Rperf::Agent.start(push: "file:%t.pb.gz") }
      ].map do |start|
        start.call
      rescue Rperf::Error => error
        [error.message[/\\A[^(]+/], Rperf.running?, Rperf::Control.running?]
      end
      puts errors.map(&:inspect).uniq, Rperf::Recorder.status.inspect, Rperf::Agent.status.inspect, Signal.trap(43, "DEFAULT"), Dir["rperf/*.sock"].inspect
    RUBY
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", code, directory:, env: {"XDG_RUNTIME_DIR" => directory})
      assert_equal ["[\"there is no thread for it \", false, false]\nnil\nnil\nSYSTEM_DEFAULT\n[]\n", ""], [result.out, result.err]
    end
  end

  # As the program has it, also for what rperf itself reads again.
  def test_a_umask_that_keeps_the_user_from_all
    code = <<~RUBY
      require "rperf/recorder"
      File.umask(0o777)
      Rperf.start(output: "p.json") { }
      Rperf::Recorder.start(directory: "recordings")
      print %w[p.json recordings].map { |name| File.stat(name).mode.to_s(8) }
    RUBY
    in_directory do |directory|
      assert_equal "[\"100600\", \"40700\"]", run_program(RUBY, "-I", Paths::LIB, "-e", code, directory:).out
    end
  end
end
