# frozen_string_literal: true

module Rperf
  # Conversion to UTF-8: texts of a program may have any encoding and may contain invalid bytes.
  module UTF8
    # Returns the text in UTF-8. Invalid bytes and characters without an equivalent become U+FFFD.
    def self.of(text) = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub

    # Returns bytes of a text in UTF-8 as that text. Invalid bytes become U+FFFD.
    def self.of_bytes(bytes) = bytes.dup.force_encoding(Encoding::UTF_8).scrub

    # Bytes of a control character (C0, DEL, C1).
    CONTROL = /[\x00-\x1F\x7F]|\xC2[\x80-\x9F]/n
    private_constant :CONTROL

    # Returns the text, which may have invalid bytes, without control characters, which could change
    # a terminal. U+FFFD stands for each.
    def self.printable(text) = text.b.gsub(CONTROL, "\u{fffd}".b).force_encoding(text.encoding)
  end
end
