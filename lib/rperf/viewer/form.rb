# frozen_string_literal: true

require_relative "../web/query"

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
        Web::Query.decode(text)
      end

      # The same of the address.
      def self.query(env) = Web::Query.decode(env["QUERY_STRING"].to_s)
    end
    private_constant :Form
  end
end
