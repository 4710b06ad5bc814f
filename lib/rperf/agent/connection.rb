# frozen_string_literal: true

require "rbconfig" # Without RubyGems, what net/http requires lacks it.
require "net/http"
require "openssl"
require "timeout"
require_relative "../version"
require_relative "answer"

module Rperf
  class Agent
    # One kept-alive connection to a server. Certificates are always verified, redirects are not
    # followed, and proxies are those of the environment.
    class Connection
      # Maximum time to connect, and maximum time of a whole exchange, in seconds.
      CONNECT = 5
      ALL = 20
      # Maximum number of bytes that are kept of an answer's body. Of everything that a server sends
      # in an exchange, at most twice that number is read.
      LONGEST_ANSWER = 64 << 10
      # Errors of a network, of a server that ends the connection, and of certificates.
      FAILURES = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
                  Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError].freeze
      # Header of requests that tracers leave alone (Datadog's).
      UNTRACED = {"DD-Internal-Untraced-Request" => "1"}.freeze
      # Headers of every request.
      HEADERS = {"User-Agent" => "rperf/#{VERSION}", "Accept-Encoding" => "identity",
                 "Content-Type" => "application/octet-stream", **UNTRACED}.freeze

      # A limit on the bytes that are read from a socket: Net::HTTP keeps a line of any length, and
      # a head of any number of lines.
      module Limited
        # Number of bytes that may still be read.
        attr_writer :left

        # Reads as the socket does. Raises IOError when the answer is longer than the limit.
        def read_nonblock(...)
          read = super
          raise IOError, "its answer does not end" if read.is_a?(String) && (@left -= read.bytesize).negative?
          read
        end
      end

      # Net::HTTP, with that limit on each connection. It opens another one by itself where the
      # server has closed the last one, or after two seconds.
      module LimitedConnections
        # Begins an exchange. (Test suites replace sockets by others.)
        def renew_limit = (@socket.io.left = 2 * LONGEST_ANSWER if @socket&.io.is_a?(Limited))

        private

        # Net::HTTP calls this method for each new connection.
        def on_connect
          @socket.io.extend(Limited)
          renew_limit
        end
      end
      private_constant :Limited, :LimitedConnections

      # url: a URI; tls: the keywords `ca_file`, `cert`, `key` of Net::HTTP; within: maximum time of
      # a whole exchange, in seconds
      def initialize(url, tls: {}, within: ALL)
        @url = url
        @tls = tls
        @within = within
      end

      # Hides the address, which may have secrets.
      def inspect = "#<#{self.class}>"

      # Sends the body. Returns an Answer. Where there is a response, the block may change the
      # Answer by the body and the response. A response counts as soon as its head is there, even if
      # its rest does not come in time: a profile that the server has is not sent again.
      def post(path, body, headers, within: @within, &read)
        request = Net::HTTP::Post.new(path, {**HEADERS, **headers})
        request.body = body
        response, kept = nil, +""
        Timeout.timeout(within) { untraced { http.request(request) { |head| keep(response = head, kept) } } }
        answer(response, kept, &read)
      rescue *FAILURES => error
        finish
        response ? answer(response, kept, &read) : failure(error)
      end

      # Closes the connection; the next request opens another one.
      def finish
        @http&.finish if @http&.started?
        @http = nil
      rescue IOError
        @http = nil
      end

      # Returns the words of an error, without details of Ruby's code.
      def self.reason(error)
        text = error.is_a?(Timeout::Error) ? "no answer in time" : error.message
        text.sub(/\AFailed to open TCP connection to \S+ \((.*)\)\z/m, '\1').sub(/ - (?:connect|user specified timeout).*/m, "")
      end

      private

      # Keeps the first bytes of the body, which may be longer than the limit.
      def keep(response, kept)
        response.read_body { |part| kept << part.byteslice(0, LONGEST_ANSWER - kept.bytesize) }
      end

      def answer(response, body)
        found = Answer.of(response, body)
        block_given? ? yield(found, body, response) : found
      end

      # Returns the Answer for an error without a response of the server: a proxy may refuse the
      # credentials for it, as the server does its own, or may be the one that does not answer.
      def failure(error)
        from_proxy = error.response if error.respond_to?(:response)
        return Answer.of(from_proxy, "from the proxy") if from_proxy.is_a?(Net::HTTPProxyAuthenticationRequired)
        host, port = @proxy
        Answer.unreachable("#{self.class.reason(error)}#{", by the proxy #{host}:#{port}" if host}")
      end

      # Returns the open connection with a new limit, for one exchange.
      def http
        connect unless @http&.started?
        @http.renew_limit
        @http
      end

      def connect
        @http = Net::HTTP.new(@url.hostname, @url.port, *(@proxy ||= proxy)).extend(LimitedConnections)
        @http.use_ssl = @url.scheme == "https"
        @tls.each { |name, value| @http.public_send(:"#{name}=", value) }
        @http.open_timeout, @http.read_timeout, @http.write_timeout = CONNECT, @within, @within
        @http.max_retries = 0
        @http.start
      end

      # Arguments of Net::HTTP for the proxy. (By itself Net::HTTP looks at http_proxy alone. Ruby
      # warns of HTTP_PROXY at each look.)
      def proxy
        found = @url.find_proxy or return [nil]
        raise ArgumentError unless found.hostname
        [found.hostname, found.port, *[found.user, found.password].map { |text| text && URI.decode_uri_component(text) }]
      rescue URI::Error, ArgumentError
        raise SocketError, "#{@url.scheme}_proxy of the environment is no address" # It may have a password.
      end

      # Runs the block without spans, since the exchange belongs to no request of the program.
      def untraced(&)
        utilities = defined?(::OpenTelemetry::Common::Utilities) && ::OpenTelemetry::Common::Utilities
        utilities.respond_to?(:untraced) ? utilities.untraced(&) : yield
      end
    end
  end
end
