# frozen_string_literal: true

module Rperf
  # Conversion to UTF-8: texts of a program may have any encoding and may contain invalid bytes.
  module UTF8
    # Returns the text in UTF-8. Invalid bytes and characters without an equivalent become U+FFFD.
    def self.of(text) = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub

    # Returns the text without control characters, which could change a terminal. U+FFFD stands for
    # each.
    def self.printable(text) = text.gsub(/[[:cntrl:]]/, "\u{fffd}")
  end
end
