# frozen_string_literal: true

require "tempfile"

# Runs a program for a test, with a deadline: a program that hangs fails its own test, with what it
# had printed until then, and leaves no process behind.
module Subprocess
  # Seconds. Far above what any program of the tests takes, so that only a hang reaches it.
  DEADLINE = 300

  # How a program ended.
  #
  # stdout and stderr are Strings, status is a Process::Status.
  Result = Struct.new(:command, :stdout, :stderr, :status, keyword_init: true) do
    # @return [Boolean] whether the program ended by itself with exit status 0
    def success? = status.success? == true

    # Short, for minitest's own messages: what matters is in the report.
    def inspect = "#<#{command.first} #{status}>"

    # @return [String] everything that a failed assertion should show
    def report
      "#{command.join(" ")}\n#{status}\n--- stdout\n#{stdout}--- stderr\n#{stderr}"
    end
  end

  # The program was still running at its deadline.
  class Overdue < StandardError; end

  # Runs a program to its end.
  #
  # @param command [Array<String>] program and arguments, without a shell
  # @param env [Hash{String => String, nil}] changes to the environment (nil removes)
  # @param chdir [String] the program's current directory
  # @param stdin [String] what the program can read
  # @param deadline [Numeric] seconds until the program and its children are killed
  # @return [Result]
  # @raise [Overdue] when the deadline was reached
  def self.run(*command, env: {}, chdir: Dir.pwd, stdin: "", deadline: DEADLINE)
    with_files(stdin) do |input, output, error|
      pid = Process.spawn(env, *command, chdir: chdir, in: input, out: output, err: error, pgroup: true)
      status = wait(pid, deadline)
      result = Result.new(command: command, stdout: contents(output), stderr: contents(error), status: status)
      return result if status

      raise Overdue, "still running after #{deadline} s, killed: #{result.report}"
    end
  end

  # Files, not pipes: a grandchild that keeps them open cannot make the test wait.
  def self.with_files(stdin)
    files = %w[in out err].map { |name| Tempfile.new("rperf-test-#{name}", binmode: true) }
    files.first.write(stdin)
    files.first.rewind
    yield files
  ensure
    files&.each(&:close!)
  end
  private_class_method :with_files

  # @return [Process::Status, nil] nil when the process had to be killed
  def self.wait(pid, deadline)
    waiter = Process.detach(pid)
    return waiter.value if waiter.join(deadline)

    kill_group(pid)
    waiter.join
    nil
  ensure
    kill_group(pid) if waiter&.alive?
  end
  private_class_method :wait

  def self.kill_group(pid)
    Process.kill(:KILL, -pid)
  rescue Errno::ESRCH
    # It ended between the deadline and the signal.
  end
  private_class_method :kill_group

  def self.contents(file) = File.binread(file.path).force_encoding(Encoding::UTF_8).scrub
  private_class_method :contents
end
