# frozen_string_literal: true

module Rperf
  module Control
    # A Rack request, in the form that the router takes.
    class RackRequest
      def initialize(env)
        @env = env
      end

      # The method, such as "GET".
      def method = @env["REQUEST_METHOD"]

      # The path below the place where the app is mounted.
      def path = @env["PATH_INFO"].to_s

      # The part of the address behind the "?".
      def query = @env["QUERY_STRING"].to_s

      # The value of a header, by its name in lower case; nil when there is none.
      def [](name) = @env["HTTP_#{name.upcase.tr("-", "_")}"]

      # Whether only the head of the answer is wanted.
      def head? = method == "HEAD"

      # Whether the request says that it has a body.
      def body? = !self["transfer-encoding"].nil? || @env["CONTENT_LENGTH"].to_i.positive?
    end
  end
end
