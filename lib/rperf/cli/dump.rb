# frozen_string_literal: true

require_relative "remote"

module Rperf
  class CLI
    # `rperf dump`: where the threads of a process are now, and for how long at what.
    class Dump < Remote
      # Prints it; returns the exit status.
      def call
        $stdout.write(client.request("GET", "/debug/pprof/threads", {debug: 1}))
        0
      end
    end
  end
end
