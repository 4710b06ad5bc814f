# frozen_string_literal: true

module Rperf
  # The compilers of this Ruby that translate methods while the program runs.
  module Compilers
    # As Ruby's options and constants name them, in capitals.
    NAMES = %w[YJIT ZJIT].freeze

    module_function

    # Those that this Ruby has.
    def known = NAMES.select { |name| RubyVM.const_defined?(name) }

    # Whether one, by its name, is there and on.
    def on?(name) = known.include?(name) && RubyVM.const_get(name).enabled?
  end
end
