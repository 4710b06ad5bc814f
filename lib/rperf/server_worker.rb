# frozen_string_literal: true

require_relative "native"

module Rperf
  # Whether this process is a worker of a server, as the title says that servers give to it.
  module ServerWorker
    # "puma: cluster worker 0: 4700 [app]", "unicorn worker[2]".
    TITLE = /worker[ \[](\d+)/

    # The index of the worker, a String; nil where this process is none.
    def self.index = Native.command_line[TITLE, 1]
  end
end
