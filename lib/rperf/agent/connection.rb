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
      # Seconds: to connect, and for all of an exchange.
      CONNECT = 5
      ALL = 20
      # Bytes: no more of the body of an answer is kept, and no more than twice as many of all that
      # a server sends are read.
      LONGEST_ANSWER = 64 << 10
      # Errors of a network, of a server that ends the connection, and of certificates.
      FAILURES = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
                  Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError].freeze
      # Tracers leave requests with this header alone (Datadog's).
      UNTRACED = {"DD-Internal-Untraced-Request" => "1"}.freeze
      # Of every request.
      HEADERS = {"User-Agent" => "rperf/#{VERSION}", "Accept-Encoding" => "identity",
                 "Content-Type" => "application/octet-stream", **UNTRACED}.freeze

      # A socket from which so many bytes may be read: Net::HTTP keeps a line of any length, and a
      # head of any number of lines.
      module Limited
        # How many bytes are left.
        attr_writer :left

        # As that of the socket. Raises IOError where the answer goes on and on.
        def read_nonblock(...)
          read = super
          raise IOError, "its answer does not end" if read.is_a?(String) && (@left -= read.bytesize).negative?
          read
        end
      end
      private_constant :Limited

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

      # For one exchange.
      def http
        connect unless @http&.started?
        @socket&.left = 2 * LONGEST_ANSWER
        @http
      end

      def connect
        @http = Net::HTTP.new(@url.hostname, @url.port, *proxy)
        @http.use_ssl = @url.scheme == "https"
        @tls.each { |name, value| @http.public_send(:"#{name}=", value) }
        @http.open_timeout, @http.read_timeout, @http.write_timeout = CONNECT, @within, @within
        @http.max_retries = 0
        @http.start
        @socket = @http.instance_variable_get(:@socket)&.io&.extend(Limited)
      end

      # What Net::HTTP is told of it. (By itself it looks at http_proxy alone.)
      def proxy
        found = @url.find_proxy or return [nil]
        raise ArgumentError unless found.hostname
        [found.hostname, found.port, *[found.user, found.password].map { |text| text && URI.decode_uri_component(text) }]
      rescue URI::Error, ArgumentError
        raise SocketError, "#{@url.scheme}_proxy of the environment is no address" # It may have a password.
      end

      # It belongs to no request of the program: no span of it, where the program is traced.
      def untraced(&)
        utilities = defined?(::OpenTelemetry::Common::Utilities) && ::OpenTelemetry::Common::Utilities
        utilities.respond_to?(:untraced) ? utilities.untraced(&) : yield
      end
    end
  end
end
