# frozen_string_literal: true

require "rbconfig"
require "tempfile"
require "timeout"

module Stress
  # Runs a stress program in a process of its own: a crash or a hang there is a failed test here.
  module Program
    # status: the exit status; 128 and the signal's number when a signal ended it; nil when it hung.
    Result = Struct.new(:status, :output)
    DIRECTORY = File.expand_path("..", __dir__)

    # limit: seconds after which the program is taken to hang. It is only there to end a hang: a
    #   slow machine
    # needs a multiple of the time that the program was told to take.
    def self.run(name, *arguments, limit:)
      Tempfile.create("rperf-stress") do |output|
        pid = spawn(RbConfig.ruby, "--disable-gems", File.join(DIRECTORY, name), *arguments, %i[out err] => output)
        status = wait(pid, limit)
        output.rewind
        text = output.read
        status ? Result.new(status, text) : Result.new(nil, "it hung: ended after #{limit} s. #{text}")
      end
    end

    def self.wait(pid, limit)
      status = Timeout.timeout(limit) { Process.wait2(pid).last }
      status.exitstatus || 128 + status.termsig
    rescue Timeout::Error
      Process.kill("KILL", pid)
      Process.wait(pid)
      nil
    end
    private_class_method :wait
  end
end
