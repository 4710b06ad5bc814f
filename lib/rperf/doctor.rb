# frozen_string_literal: true

require_relative "doctor/interpreter"
require_relative "doctor/machine"
require_relative "doctor/objects"
require_relative "doctor/ticks"

module Rperf
  # Findings about what rperf can do with this Ruby and this machine. It tries with sessions of its
  # own, each shorter than a second, so no other session may run in the process.
  module Doctor
    module_function

    # Returns a Finding of each subject, in the order in which they are shown.
    def findings = [Interpreter.new, Ticks.new, Objects.new, Machine.new].flat_map(&:findings)
  end
end
