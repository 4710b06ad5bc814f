# frozen_string_literal: true

require "uri"
require_relative "response"

module Rperf
  module Web
    # Fields of forms and addresses: "a=1&b=2".
    module Query
      # Returns a Hash of Strings. Of a name that comes more than once the last value counts. Raises
      # Refusal for a damaged text.
      def self.decode(text)
        URI.decode_www_form(text.dup.force_encoding(Encoding::UTF_8)).to_h
      rescue ArgumentError
        raise Refusal.new(400, "the form is damaged: letters other than ASCII must be percent-encoded")
      end
    end
  end
end
