# frozen_string_literal: true

require_relative "../options/value"
require_relative "../web/response"
require_relative "../web/secret"

module Rperf
  module Control
    # A secret in a file, which permits requests. The file is read anew for each request, so that
    # the secret can be changed at any time; the secret is kept nowhere else.
    class Token
      # Minimum length of a token, in bytes.
      LEAST = 16
      SCHEME = "Bearer "
      # Headers of the answer to a request without the token.
      CHALLENGE = {"www-authenticate" => "Bearer"}.freeze
      private_constant :CHALLENGE

      # The absolute path of the file.
      attr_reader :path

      # Raises ArgumentError when the file has no token.
      def initialize(path)
        @path = path.to_s
        raise ArgumentError, "the token file '#{@path}' cannot be read, or has less than #{LEAST} bytes (token_file:, RPERF_TOKEN_FILE)" unless read
        @path = Options::Value::Path.absolute(@path, "the token file") # The program may change its directory.
      end

      # Raises Web::Refusal when a request does not have the token in its header Authorization.
      def check(request)
        given, token = request["authorization"].to_s, read
        return if token && given.start_with?(SCHEME) && Web::Secret.same?(given.delete_prefix(SCHEME), token)
        raise Web::Refusal.new(401, "this needs the token of the process: Authorization: Bearer TOKEN", CHALLENGE)
      end

      private

      def read
        token = File.read(@path).strip
        token if token.bytesize >= LEAST
      rescue SystemCallError
        nil
      end
    end
  end
end
