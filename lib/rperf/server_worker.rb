# frozen_string_literal: true

module Rperf
  # Whether this process is a worker of a server, as the title says that servers give to it.
  module ServerWorker
    # "puma: cluster worker 0: 4700 [app]", "unicorn worker[2]".
    TITLE = /worker[ \[](\d+)/

    # The index of the worker, a String; nil where this process is none.
    def self.index
      File.binread("/proc/self/cmdline")[TITLE, 1]
    rescue SystemCallError
      nil
    end
  end
end
