# frozen_string_literal: true

require_relative "test_helper"

# Programs run by tests: with a time limit, their output captured, and a way to wait for what they
# say.
module ProgramSupport
  RUBY = Paths::RUBY
  RPERF = Paths::EXE
  # Seconds that no program of a test needs, even on a busy machine.
  LIMIT = 180

  Result = Struct.new(:status, :out, :err, keyword_init: true) do
    def code = status.exitstatus
    def signal = status.termsig && Signal.signame(status.termsig)
    def inspect = "#{status.inspect}\nstdout: #{out}\nstderr: #{err}"
  end

  # A program that was started and goes on by itself.
  class Running
    attr_reader :pid

    def initialize(words, directory:, env:, input:, group:)
      @out = File.join(directory, ".stdout")
      @err = File.join(directory, ".stderr")
      options = {out: @out, err: @err, in: input || File::NULL, chdir: directory}
      options[:pgroup] = true if group
      @pid = Process.spawn(env, *words, options)
      @waiter = Process.detach(@pid)
    end

    def out = File.binread(@out).force_encoding("UTF-8")
    def err = File.binread(@err).force_encoding("UTF-8")

    # Returns when the program has written this to stdout.
    def await_output(text) = await(text) { out }

    # Returns when the program has written this, to stdout or stderr unless the block says where.
    def await(text)
      deadline = now + LIMIT
      until (block_given? ? yield : out + err).include?(text)
        raise "the program never wrote #{text.inspect}\nstdout: #{out}\nstderr: #{err}" if now > deadline || !@waiter.alive?
        @waiter.join(0.02)
      end
    end

    def signal(name, to: pid) = Process.kill(name, to)

    def finish
      unless @waiter.join(LIMIT)
        Process.kill(:KILL, @pid)
        raise "the program did not end within #{LIMIT} s\nstdout: #{out}\nstderr: #{err}"
      end
      Result.new(status: @waiter.value, out:, err:)
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # Starts a program in `directory`; `group` gives it a process group of its own.
  def launch(*words, directory:, env: {}, input: nil, group: false)
    Running.new(words, directory:, env: clean_environment.merge(env), input:, group:)
  end

  # Runs a program to its end.
  def run_program(*words, **options) = launch(*words, **options).finish

  # Runs `rperf` with these words in `directory`. (Without RubyGems it is there in 10 ms instead of
  # 40; test/package starts the command that RubyGems makes.)
  def rperf(*words, **options) = launch_rperf(*words, **options).finish

  def launch_rperf(*words, **options) = launch(RUBY, "--disable-gems", RPERF, *words, **options)

  # For tests whose programs need no gem: Ruby takes 80 to 110 ms of CPU time to begin with
  # RubyGems, 15 to 20 without. At least a third of the tests of e2e do not include this: their
  # programs begin as those of users do.
  module WithoutGems
    def clean_environment = super.merge("RUBYOPT" => "--disable-gems")
  end

  # The functions that `go tool pprof` sees, in the order of the view: [[flat%, cumulative%, name],
  # ...]. `-top` of Go: flat flat% sum% cum cum% name.
  def pprof_top(path, directory:)
    result = run_program("go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", path, directory:)
    raise "pprof cannot read #{path}: #{result.err}" unless result.code.zero?
    rows = result.out.lines.drop_while { |line| !line.include?("flat%") }.drop(1)
    rows.map { |line| line.split(" ", 6).values_at(1, 4, 5).map(&:chomp) }
  end

  # A file in the directory, executable when it begins with "#!".
  def write_file(directory, name, text)
    path = File.join(directory, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    File.chmod(0o755, path) if text.start_with?("#!")
    path
  end

  # Nothing of the test run's own environment must reach the programs, but Ruby first in the PATH.
  def clean_environment
    path = [File.dirname(RUBY), ENV.fetch("PATH", "")].join(File::PATH_SEPARATOR)
    removed = ENV.keys.grep(/\A(RPERF_|RUBYOPT|RUBYLIB|BUNDLE)/).to_h { |name| [name, nil] }
    removed.merge("PATH" => path)
  end
end
