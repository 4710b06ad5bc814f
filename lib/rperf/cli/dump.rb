# frozen_string_literal: true

require_relative "remote"

module Rperf
  class CLI
    # `rperf dump`: shows the stacks of a process's threads, and the age of their units of work.
    class Dump < Remote
      # Prints the stacks of the threads; returns the exit status.
      def call
        $stdout.write(client.request("GET", "/debug/pprof/threads", {debug: 1}))
        0
      end
    end
  end
end
