# frozen_string_literal: true

require "net/http"
require "openssl"
require "timeout"
require_relative "answer"

module Rperf
  class Agent
    # One kept-alive connection to a server. Certificates are always verified, redirects are not
    # followed, proxies are those of the environment.
    class Connection
      # Seconds: to connect, for a step of an exchange, and for all of it.
      CONNECT = 5
      STEP = 10
      ALL = 20
      # Bytes: no more of an answer is read.
      LONGEST_ANSWER = 64 << 10
      # Errors of a network, of a server that ends the connection, and of certificates.
      FAILURES = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
                  Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError].freeze
      # Tracers leave requests with this header alone (Datadog's).
      UNTRACED = {"DD-Internal-Untraced-Request" => "1"}.freeze
      # Of every request.
      HEADERS = {"User-Agent" => "rperf/#{VERSION}", "Accept-Encoding" => "identity",
                 "Content-Type" => "application/octet-stream", **UNTRACED}.freeze

      # url: a URI; tls: keywords `ca_file`, `cert`, `key` as Net::HTTP has them; within: seconds
      # for all of an exchange
      def initialize(url, tls: {}, within: ALL)
        @url = url
        @tls = tls
        @within = within
      end

      # The address may have secrets.
      def inspect = "#<#{self.class}>"

      # Sends the body. Returns an Answer: what the block makes of it and of the body of the
      # response, where one came. It counts when its head is there, though the rest does not come in
      # time: what was taken is not sent again.
      def post(path, body, headers, within: @within, &read)
        request = Net::HTTP::Post.new(path, {**HEADERS, **headers})
        request.body = body
        response, kept = nil, +""
        Timeout.timeout(within) { untraced { http.request(request) { |head| keep(response = head, kept) } } }
        answer(response, kept, &read)
      rescue *FAILURES => error
        finish
        response ? answer(response, kept, &read) : Answer.unreachable(self.class.reason(error))
      end

      # Closes the connection; the next request opens another one.
      def finish
        @http&.finish if @http&.started?
        @http = nil
      rescue IOError
        @http = nil
      end

      # The words of an error, without what only Ruby's code knows.
      def self.reason(error)
        text = error.is_a?(Timeout::Error) ? "no answer in time" : error.message
        text.sub(/\AFailed to open TCP connection to \S+ \((.*)\)\z/m, '\1').sub(/ - (?:connect|user specified timeout).*/m, "")
      end

      private

      # An answer may be longer than what is kept of it.
      def keep(response, kept)
        response.read_body { |part| kept << part.byteslice(0, LONGEST_ANSWER - kept.bytesize) }
      end

      def answer(response, body)
        found = Answer.of(response, body)
        block_given? ? yield(found, body, response) : found
      end

      def http
        return @http if @http&.started?
        @http = Net::HTTP.new(@url.hostname, @url.port)
        @http.use_ssl = @url.scheme == "https"
        @tls.each { |name, value| @http.public_send(:"#{name}=", value) }
        @http.open_timeout, @http.read_timeout, @http.write_timeout, @http.ssl_timeout = CONNECT, STEP, STEP, STEP
        @http.max_retries = 0
        @http.start
      end

      # It belongs to no request of the program: no span of it, where the program is traced.
      def untraced(&)
        utilities = defined?(::OpenTelemetry::Common::Utilities) && ::OpenTelemetry::Common::Utilities
        utilities.respond_to?(:untraced) ? utilities.untraced(&) : yield
      end
    end
  end
end
