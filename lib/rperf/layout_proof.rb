# frozen_string_literal: true

require_relative "first_use"
require_relative "native"

module Rperf
  # Proves, once in a process, that the native part reads the VM's frames correctly. It makes stacks
  # of each kind of frame; in each the native part compares its own walk with the VM's public one.
  # Without a proof the engine that takes stacks at safepoints is used.
  module LayoutProof
    # Set to "fail" by tests, as if no layout could be proved.
    VARIABLE = "RPERF_LAYOUT_PROOF"

    @done = !defined?(BEGUN).nil? # Then rperf/beginning has done it.

    module_function

    # Runs the proof unless it has been run. Returns whether a layout is proved. Raises Rperf::Error
    # if its file cannot be loaded.
    def ensure
      FirstUse.prepare { run unless @done } unless @done
      Native.layout_proved?
    end

    def run
      load(File.join(__dir__, "layout_proof", "stacks.rb"), true) unless ENV[VARIABLE] == "fail"
      @done = true
    end
    private_class_method :run
  end
end
