# frozen_string_literal: true

module Rperf
  # The program of this process.
  module Program
    # Its name; under `bundle exec` that of its command, which Bundler loads later. (A server may
    # later replace its name by a title, and fork.)
    command = ARGV.drop(1).grep_v(/\A-/).first if File.basename($PROGRAM_NAME) == "bundle" && ARGV.first == "exec"
    FILE = File.basename(command || $PROGRAM_NAME).freeze
    NAME = File.basename(FILE, ".*").freeze
    private_constant :FILE

    # Whether it is the command `rperf`, which may have the environment of the program that it is to
    # look at (`RUBYOPT=-rrperf`): that starts no session, agent, recorder and control in it.
    def self.rperf? = FILE == "rperf"
  end
end
