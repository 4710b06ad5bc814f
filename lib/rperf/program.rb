# frozen_string_literal: true

module Rperf
  # The program of this process.
  module Program
    # Its name; under `bundle exec` that of its command, which Bundler loads later. (A server may
    # later replace its name by a title, and fork.)
    command = ARGV.drop(1).grep_v(/\A-/).first if File.basename($PROGRAM_NAME) == "bundle" && ARGV.first == "exec"
    NAME = File.basename(command || $PROGRAM_NAME, ".*").freeze

    # Whether it is the command `rperf`, which may have the environment of the program that it is to
    # look at (`RUBYOPT=-rrperf/agent`): then that starts no agent, no recorder and no control.
    def self.rperf? = NAME == "rperf"
  end
end
