# frozen_string_literal: true

module Rperf
  # For data that may be large: shown in one line, which `inspect` of the class says, everywhere.
  module OneLine
    # As inspect.
    def to_s = inspect

    # What irb and `pp` show.
    def pretty_print(printer) = printer.text(inspect)
  end
end
