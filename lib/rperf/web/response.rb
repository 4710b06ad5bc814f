# frozen_string_literal: true

require "json"
require_relative "../utf8"
require_relative "headers"

module Rperf
  module Web
    # An answer: status, headers and a body (a String).
    class Response
      REASONS = {
        200 => "OK", 400 => "Bad Request", 401 => "Unauthorized", 403 => "Forbidden", 404 => "Not Found",
        405 => "Method Not Allowed", 409 => "Conflict", 414 => "URI Too Long", 431 => "Request Header Fields Too Large",
        500 => "Internal Server Error", 503 => "Service Unavailable"
      }.freeze

      # Returns a Response with one sentence.
      def self.sentence(status, text, headers = {})
        new(status, {**Headers::TEXT, **headers}, "#{text}\n")
      end

      # Returns a Response with values for programs. Texts may be in any encoding, such as those of
      # errors, which have the names of files.
      def self.json(values) = new(200, Headers::JSON, "#{JSON.pretty_generate(plain(values))}\n")

      # Returns the values with texts in UTF-8.
      def self.plain(value)
        case value
        when Hash then value.transform_values { |one| plain(one) }
        when Array then value.map { |one| plain(one) }
        when String then UTF8.of(value)
        else value
        end
      end
      private_class_method :plain

      attr_reader :status, :headers, :body

      def initialize(status, headers, body)
        @status = status
        @headers = headers
        @body = body.b
      end

      # Returns the bytes before the body on the wire. The connection ends with the body.
      def head
        fields = {**headers, "content-length" => body.bytesize, "connection" => "close"}
        lines = ["HTTP/1.1 #{status} #{REASONS.fetch(status)}", *fields.map { |name, value| "#{name}: #{value}" }]
        "#{lines.join("\r\n")}\r\n\r\n".b
      end

      # Returns the response for Rack; an answer to HEAD has no body.
      def to_rack(head: false)
        [status, {**headers, "content-length" => body.bytesize.to_s}, head ? [] : [body]]
      end
    end

    # An error: the request is answered with a sentence.
    class Refusal < StandardError
      # Returns the Refusal of a method. possible: names of the methods that are possible; HEAD is
      # where GET is
      def self.wrong_method(possible)
        names = possible.flat_map { |name| name == "GET" ? %w[GET HEAD] : name }
        new(405, "only #{names.join(" or ")} is possible here", "allow" => names.join(", "))
      end

      # Returns the Refusal of a head without an end.
      def self.too_long(head)
        head.include?("\n") ? new(431, "the header fields are too long") : new(414, "the address is too long")
      end

      attr_reader :response

      def initialize(status, text, headers = {})
        super(text)
        @response = Response.sentence(status, text, headers)
      end
    end
  end
end
