# frozen_string_literal: true

require_relative "doctor/interpreter"
require_relative "doctor/machine"
require_relative "doctor/objects"
require_relative "doctor/ticks"

module Rperf
  # What this Ruby and this machine let rperf do. It tries it: with sessions of its own, of less
  # than a second, so none may run in the process.
  module Doctor
    module_function

    # A Finding of each subject, in the order in which they are read.
    def findings = [Interpreter.new, Ticks.new, Objects.new, Machine.new].flat_map(&:findings)
  end
end
