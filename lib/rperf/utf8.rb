# frozen_string_literal: true

module Rperf
  # Conversion to UTF-8: texts of a program may have any encoding and may contain invalid bytes.
  module UTF8
    # Returns the text in UTF-8. Invalid bytes and characters without an equivalent become U+FFFD.
    def self.of(text) = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub

    # Returns bytes of a text in UTF-8 as that text. Invalid bytes become U+FFFD.
    def self.of_bytes(bytes) = bytes.dup.force_encoding(Encoding::UTF_8).scrub

    # Bytes of a control character (C0, DEL, C1), of the end of a line or paragraph, or of a mark
    # that embeds, overrides or isolates the direction of letters (U+2028-202E, U+2066-2069).
    CONTROL = /[\x00-\x1F\x7F]|\xC2[\x80-\x9F]|\xE2\x80[\xA8-\xAE]|\xE2\x81[\xA6-\xA9]/n
    private_constant :CONTROL

    # Returns the text, which may have invalid bytes, without characters that could change a
    # terminal, or the order in which it shows what follows. U+FFFD stands for each.
    def self.printable(text) = text.b.gsub(CONTROL, "\u{fffd}".b).force_encoding(text.encoding)
  end
end
