# frozen_string_literal: true

require_relative "native"

module Rperf
  # Detects workers of a server by the process title that servers set.
  module ServerWorker
    # "puma: cluster worker 0: 4700 [app]", "unicorn worker[2]".
    TITLE = /worker[ \[](\d+)/

    # Returns the index of the worker, a String; nil if this process is no worker.
    def self.index = Native.command_line[TITLE, 1]
  end
end
