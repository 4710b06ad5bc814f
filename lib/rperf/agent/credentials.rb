# frozen_string_literal: true

require "digest/sha2" # All of it: Digest loads a part when it is first named.
require_relative "../errors"
require_relative "secret"

module Rperf
  class Agent
    # Credentials of requests to a server: a user with a password, a token, and further headers.
    class Credentials
      # Text that replaces a secret, and the minimum number of characters of a text to replace.
      HIDDEN = "[hidden]"
      LEAST = 6

      # headers: a Hash of texts; basic_auth: [user, password]; token: a bearer token. A password
      # and a token are texts, or objects whose `call` returns the text.
      def initialize(headers: {}, basic_auth: nil, token: nil)
        @headers = headers.to_h { |name, value| [name.to_s, Secret.new(value)] }
        @user, @password = basic_auth
        @password &&= Secret.new(@password)
        @token = token.is_a?(Secret) || token.nil? ? token : Secret.new(token)
        @shown = nil
      end

      # Returns the headers of a request. Raises Rperf::Error where they cannot be read, or sent.
      def headers = @shown = current

      # Whether the headers differ from those of the last request.
      def renewed?
        @shown != current
      rescue Error
        false
      end

      # Whether there is anything that others must not read on its way.
      def any? = @headers.any? || @user || @token

      # Returns a digest of the credentials and of `more`, a secret or nil; nil where there are
      # none. It is long enough to tell destinations apart, and too short to tell a good secret.
      def digest(more)
        return unless any? || more
        parts = [more, @user, @password&.identity, @token&.identity, *@headers.flat_map { |name, value| [name, value.identity] }]
        Digest::SHA256.hexdigest(parts.map { |part| [part.to_s].pack("m0") }.join(" "))[0, 8]
      end

      # Returns a text without the secrets of the last request, and without `more`: a server may
      # repeat them. The end of the text may be missing, and with it the end of a secret.
      def hide(text, *more)
        secrets(*more).reduce(text) do |shown, secret|
          cut = (LEAST...secret.length).find { |length| shown.end_with?(secret[0, length]) }
          shown.gsub(secret, HIDDEN).delete_suffix(cut ? secret[0, cut] : "")
        end
      end

      # Hides the credentials.
      def inspect = "#<#{self.class}>"

      private

      def current
        headers = @headers.transform_values(&:reveal)
        headers["Authorization"] = "Basic #{["#{@user.to_s.b}:#{@password.reveal.b}"].pack("m0")}" if @user
        headers["Authorization"] = "Bearer #{@token.reveal}" if @token
        check(headers)
        headers.transform_values(&:b) # Net::HTTP looks for spaces in texts, and finds none in damaged ones.
      end

      # Refuses line breaks: text behind one would be a header of its own.
      def check(headers)
        name, = headers.find { |pair| pair.any? { |text| text.b.match?(/[\r\n]/) } }
        raise Error, "the header '#{name.lines("\n", chomp: true).first}' would have several lines: give it a value of one line" if name
      end

      # Texts to hide, the longest first: each header as it is, and without "Bearer"; of "Basic" the
      # user with the password, too, and the password alone.
      def secrets(*more)
        decoded = [*@shown&.values].filter_map { |text| text[/\ABasic (.+)/, 1]&.unpack1("m") }.flat_map { |pair| [pair, pair.partition(":").last] }
        texts = [*more, *@shown&.values, *decoded].compact.map { |text| UTF8.of_bytes(text) }
        texts.flat_map { |text| [text, text[/\S+\z/].to_s] }.uniq.select { |text| text.length >= LEAST }.sort_by { |text| -text.length }
      end
    end
  end
end
