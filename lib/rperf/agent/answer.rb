# frozen_string_literal: true

require "json"
require "time"
require_relative "../utf8"

module Rperf
  class Agent
    # Result of an attempt to deliver a profile: the next step, the seconds to wait before it (where
    # the server gives them), and the server's words.
    class Answer < Data.define(:kind, :after, :text)
      # Maximum characters of the server's words that are shown, and the longest wait that a server
      # may ask for, in seconds.
      LONGEST_TEXT = 200
      LONGEST_WAIT = 600
      # What servers say of a profile that is too large, and a quoted set of labels.
      SIZE = /too large|too big|too many samples|samples count limit|\bsizes?\b.*(?:exceed|limit)|(?:exceed|limit).*\bsizes?\b/i
      LABELS = /\{[^{}"]*(?:"(?:\\.|[^"\\])*"[^{}"]*)+\}(?=')/
      private_constant :SIZE, :LABELS

      # Returns the Answer for an HTTP response. body: the part of its body that was read
      def self.of(response, body)
        body = UTF8.of_bytes(body)
        new(kind: kind_of(response.code.to_i, body), after: retry_after(response["retry-after"]), text: words(response, body))
      end

      # Returns the Answer for a server that does not answer.
      def self.unreachable(text) = new(kind: :unreachable, text:)

      # Returns the kind by the status and the words of the body.
      def self.kind_of(code, body)
        case code
        when 200..299 then :sent
        when 401, 403, 407 then :unauthorized
        when 404, 405, 415, 501, 300..399 then :wrong_address
        when 413 then :too_large
        when 408, 500 then :once_more
        when 429 then size?(body) ? :too_large : :later
        when 425, 502..599 then :later
        else size?(body) ? :too_large : :rejected
        end
      end

      # Whether the server's words are about a size. The labels of a series, which some servers
      # quote, are the user's words.
      def self.size?(body)
        body = body.gsub(/\\(.)/m, '\1') if body.start_with?("{") # A JSON text.
        body.gsub(LABELS, "").match?(SIZE)
      end

      # Returns the seconds of a Retry-After: a number, or a date (RFC 9110, section 10.2.3).
      def self.retry_after(text, now: Time.now)
        return if text.nil?
        seconds = Integer(text, 10, exception: false) || (Time.httpdate(text) - now).ceil
        seconds.clamp(0, LONGEST_WAIT)
      rescue ArgumentError
        nil
      end

      # Returns the status, and behind it the message of a JSON error, else the body.
      def self.words(response, body)
        parsed = JSON.parse(body) if body.start_with?("{")
        message = parsed["message"] if parsed.is_a?(Hash)
        "#{response.code} #{message || body}"
      rescue JSON::ParserError
        "#{response.code} #{body}"
      end
      private_class_method :kind_of, :words

      def initialize(kind:, after: nil, text: nil) = super(kind:, after:, text: text && plain(text))

      private

      # Returns a text as one line without control characters.
      def plain(text) = UTF8.of(text).gsub(/[[:cntrl:]]|\s/, " ").squeeze(" ").strip[0, LONGEST_TEXT]
    end
  end
end
