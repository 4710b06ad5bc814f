# frozen_string_literal: true

require_relative "../web/loopback"
require_relative "door"
require_relative "token"

module Rperf
  module Control
    # A TCP port for scrapers of this machine, or for other machines that have a token.
    class TcpDoor < Door
      PORTS = (0..65_535)
      ADDRESS = /\A(?:(?<host>[^\s:\[\]]+|\[[\h:.]+\]):)(?<port>\d{1,5})\z/

      # The Token, or nil.
      attr_reader :token

      # listen:     "127.0.0.1:6065"; the port 0 stands for any free one
      # token_file: see Token; nil: only this machine may ask, and not start sessions
      # Raises ArgumentError.
      def initialize(listen, token_file)
        match = ADDRESS.match(listen.to_s)
        @host, @port = match[:host], match[:port].to_i if match
        unless PORTS.cover?(@port)
          raise ArgumentError, "listen: (RPERF_LISTEN) must be an address and a port, such as 127.0.0.1:6065, not #{Error.shown(listen)}"
        end
        @token = Token.new(token_file) if token_file
        @local = Web::Loopback.host?(@host)
        return if @token || @local
        raise ArgumentError, "listen: #{listen} can be reached by other machines, and needs a token: token_file: (RPERF_TOKEN_FILE)"
      end

      # The URL of the door.
      def address = "http://#{@host}:#{@listener.addr[1]}"

      # Does nothing: a closed port leaves nothing behind.
      def withdraw = nil

      private

      def router = @router ||= Router.new(Terms.new(most_seconds: 60, waits: true, commands: !@token.nil?))

      def listen
        TCPServer.new(@host.delete("[]"), @port)
      rescue SystemCallError, SocketError => error
        raise Error, "cannot listen at #{@host}:#{@port}: #{Error.reason(error)}"
      end

      # A page of another site can make a browser ask for its own name here (DNS rebinding).
      def check(request, _socket)
        raise Web::Refusal.new(403, "this door answers requests to this machine's own names only") if @local && !Web::Loopback.host?(request["host"])
        @token&.check(request)
      end
    end
  end
end
