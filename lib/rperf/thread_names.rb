# frozen_string_literal: true

require_relative "first_use"
require_relative "native"

module Rperf
  # Shows the native part, once in a process, where the VM keeps the names of threads. (Thread#name
  # cannot be called in the hook in which a thread ends.) Without this, threads have only numbers.
  module ThreadNames
    @done = !defined?(BEGUN).nil? # Then rperf/beginning has done it.

    # Shows the place unless that has been done. Raises Rperf::Error if its file cannot be loaded.
    def self.ensure
      FirstUse.prepare { show unless @done } unless @done
    end

    def self.show
      load("#{__dir__}/thread_names/unstarted.rb", true)
      @done = true
    end
    private_class_method :show
  end
end
