# frozen_string_literal: true

require "uri"
require_relative "../web/response"

module Rperf
  class Viewer
    # The fields of a form that was sent, in the body or in the address.
    module Form
      # Bytes; a title has some dozen.
      MOST_BYTES = 8_192

      # A Hash of Strings; empty when nothing was sent. Raises Web::Refusal for what is no form.
      def self.read(env)
        text = env["rack.input"]&.read(MOST_BYTES + 1).to_s
        raise Web::Refusal.new(413, "the form has more than #{MOST_BYTES} bytes") if text.bytesize > MOST_BYTES
        decode(text)
      end

      # The same of the address.
      def self.query(env) = decode(env["QUERY_STRING"].to_s)

      def self.decode(text)
        URI.decode_www_form(text.dup.force_encoding(Encoding::UTF_8)).to_h
      rescue ArgumentError
        raise Web::Refusal.new(400, "the form is damaged: letters other than ASCII must be percent-encoded")
      end
      private_class_method :decode
    end
    private_constant :Form
  end
end
