# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../errors"
require_relative "loopback"
require_relative "secret"
require_relative "server"

module Rperf
  module Web
    # Serves one page to the browsers of this machine: on the loopback interface, at an address that
    # cannot be guessed. Below that address are the page's downloads. Nothing else is served: no
    # files of the machine, no directory.
    class PageServer
      # Number of letters and digits in the address, so that it cannot be guessed: 190 bits.
      RANDOM_LENGTH = 32

      # html: the page, a String; downloads: a Hash of names and Procs that return the bytes
      # Raises Rperf::Error when there is no port to listen on.
      def initialize(html, downloads: {}, limits: Limits.new)
        @page = Response.new(200, Headers::PAGE, html)
        @downloads = downloads
        @path = "/#{SecureRandom.alphanumeric(RANDOM_LENGTH)}/"
        @listener = listen
        @server = Server.new(@listener, limits:) { |request, _socket| answer(request) }
      end

      # The address of the page.
      def url = "http://#{Loopback::ADDRESS}:#{@listener.addr[1]}#{@path}"

      # Serves until `stop` is called.
      def run = @server.run

      # Ends `run`; may be called in a signal handler, and more than once.
      def stop = @server.stop

      private

      def listen
        TCPServer.new(Loopback::ADDRESS, 0)
      rescue SystemCallError => error
        raise Error, "cannot serve on #{Loopback::ADDRESS}: #{Error.reason(error)}; use --html to write the page to a file"
      end

      def answer(request)
        raise Refusal.new(403, "this server answers browsers on this machine only") unless Loopback.host?(request["host"])
        name = name_below_page(request)
        raise Refusal.new(404, "there is nothing here; the address is the one that rperf printed") unless name == "" || @downloads.key?(name)
        raise Refusal.wrong_method(["GET"]) unless request.get? || request.head?
        name == "" ? @page : Response.new(200, Headers.download(name), @downloads.fetch(name).call)
      end

      # Returns the part of the path behind the page's: "" is the page itself, nil is elsewhere.
      def name_below_page(request)
        start = request.path.byteslice(0, @path.bytesize)
        request.path.byteslice(@path.bytesize..) if Secret.same?(start, @path)
      end
    end
  end
end
