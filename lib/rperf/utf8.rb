# frozen_string_literal: true

module Rperf
  # Names and texts of a program may have any encoding, and bytes that are none of it.
  module UTF8
    # The same text in UTF-8; what is none becomes U+FFFD.
    def self.of(text) = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
  end
end
