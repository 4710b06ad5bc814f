# frozen_string_literal: true

module Rperf
  # The compilers of this Ruby that translate methods while the program runs.
  module Compilers
    # Names of compilers, as in Ruby's options and constants, in capitals.
    NAMES = %w[YJIT ZJIT].freeze

    module_function

    # Returns the names of the compilers that this Ruby has.
    def known = NAMES.select { |name| RubyVM.const_defined?(name) }

    # Returns whether the compiler of this name exists and is on.
    def on?(name) = known.include?(name) && RubyVM.const_get(name).enabled?
  end
end
