# frozen_string_literal: true

require_relative "secret"

module Rperf
  class Agent
    # What a request shows to a server: a user with a password, a token, and further headers.
    class Credentials
      # headers: a Hash of texts; basic_auth: [user, password]; token: a bearer token. A password
      # and a token are texts, or are called for the text.
      def initialize(headers: {}, basic_auth: nil, token: nil)
        @headers = headers.to_h { |name, value| [name.to_s, Secret.new(value)] }
        @user, @password = basic_auth
        @password &&= Secret.new(@password)
        @token = token.is_a?(Secret) || token.nil? ? token : Secret.new(token)
        @shown = nil
      end

      # The headers of a request.
      def headers = @shown = current

      # Whether there are others than at the last request.
      def renewed?
        @shown != current
      rescue Error
        false
      end

      # Whether there is anything that must not be read on its way.
      def any? = @headers.any? || @user || @token

      # Without what it holds.
      def inspect = "#<#{self.class}>"

      private

      def current
        headers = @headers.transform_values(&:reveal)
        headers["Authorization"] = "Basic #{["#{@user}:#{@password.reveal}"].pack("m0")}" if @user
        headers["Authorization"] = "Bearer #{@token.reveal}" if @token
        headers
      end
    end
  end
end
