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
        text = already_read(env) || env["rack.input"]&.read(MOST_BYTES + 1).to_s
        raise Web::Refusal.new(413, "the form has more than #{MOST_BYTES} bytes") if text.bytesize > MOST_BYTES
        Web::Query.decode(text)
      end

      # Returns the body that Rack has read for a middleware further out, such as
      # Rack::MethodOverride, since it cannot be read again; nil if there is none. Rack before 3.2
      # notes which input it has read.
      def self.already_read(env)
        form = env["rack.request.form_hash"]
        return unless form && env.fetch("rack.request.form_input", env["rack.input"]).equal?(env["rack.input"])
        URI.encode_www_form(form.select { |_name, value| value.is_a?(String) })
      end
      private_class_method :already_read

      # Returns the same for the address.
      def self.query(env) = Web::Query.decode(env["QUERY_STRING"].to_s)
    end
    private_constant :Form
  end
end
