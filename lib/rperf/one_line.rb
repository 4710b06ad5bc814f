# frozen_string_literal: true

module Rperf
  # Display in one line, for data that may be large: everywhere as the class's `inspect` says.
  module OneLine
    # Returns the same as `inspect`.
    def to_s = inspect

    # Prints the same line in irb and with `pp`.
    def pretty_print(printer) = printer.text(inspect)
  end
end
