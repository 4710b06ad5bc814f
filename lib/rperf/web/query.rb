# frozen_string_literal: true

require "uri"
require_relative "response"

module Rperf
  module Web
    # Fields as forms and addresses have them: "a=1&b=2".
    module Query
      # A Hash of Strings; of a name that comes more than once the last value counts. Raises Refusal
      # for what is damaged.
      def self.decode(text)
        URI.decode_www_form(text.dup.force_encoding(Encoding::UTF_8)).to_h
      rescue ArgumentError
        raise Refusal.new(400, "the form is damaged: letters other than ASCII must be percent-encoded")
      end
    end
  end
end
