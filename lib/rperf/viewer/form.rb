# frozen_string_literal: true

require_relative "../web/query"

module Rperf
  class Viewer
    # The fields of a submitted form, in the body or in the address.
    module Form
      # Maximum size of a body in bytes; a title has some dozens.
      MOST_BYTES = 8_192

      # Returns a Hash of Strings, empty without a body. Raises Web::Refusal for an invalid form.
      def self.read(env)
        text = env["rack.input"]&.read(MOST_BYTES + 1).to_s
        raise Web::Refusal.new(413, "the form has more than #{MOST_BYTES} bytes") if text.bytesize > MOST_BYTES
        Web::Query.decode(text)
      end

      # Returns the same for the address.
      def self.query(env) = Web::Query.decode(env["QUERY_STRING"].to_s)
    end
    private_constant :Form
  end
end
