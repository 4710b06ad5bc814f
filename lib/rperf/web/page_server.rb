# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../errors"
require_relative "connections"
require_relative "limits"
require_relative "loopback"

module Rperf
  module Web
    # Serves one page to the browsers of this machine: on the loopback interface, at an address that
    # cannot be guessed, and below it what the page offers to download. There is nothing else to
    # get: no files of the machine, no directory.
    class PageServer
      # Letters and digits of the address that cannot be guessed: 190 bits.
      RANDOM_LENGTH = 32
      METHODS = "GET, HEAD"

      # html: the page, a String. downloads: by their names, what makes their bytes when they are
      #   asked for.
      # Raises Rperf::Error when there is no port to listen on.
      def initialize(html, downloads: {}, limits: Limits.new)
        @page = Response.new(200, Headers::PAGE, html)
        @downloads = downloads
        @path = "/#{SecureRandom.alphanumeric(RANDOM_LENGTH)}/"
        @listener = listen
        @stopped, @stop = IO.pipe
        @connections = Connections.new(limits)
      end

      # Where the page is.
      def url = "http://#{Loopback::ADDRESS}:#{@listener.addr[1]}#{@path}"

      # Serves until `stop` is called.
      def run
        loop do
          ready, = IO.select([@listener, @stopped])
          break if ready.include?(@stopped)
          accept
        end
      ensure
        [@listener, @stopped, @stop].each(&:close)
        @connections.close_all
      end

      # Ends `run`; may be called in a signal handler, and more than once.
      def stop
        @stop.write_nonblock(".", exception: false)
      rescue IOError, Errno::EPIPE
        nil # It has ended, or is about to.
      end

      private

      def listen
        TCPServer.new(Loopback::ADDRESS, 0)
      rescue SystemCallError => error
        raise Error, "cannot serve on #{Loopback::ADDRESS}: #{error.message.sub(/ - .*/, "")}; use --html to write the page to a file"
      end

      def accept
        socket = @listener.accept_nonblock(exception: false)
        @connections.add(socket) { |request| answer(request) } unless socket == :wait_readable
      rescue SystemCallError
        nil # The other side gave up before it was accepted, or there are no descriptors left.
      end

      def answer(request)
        raise Refusal.new(403, "this server answers browsers on this machine only") unless Loopback.host?(request.host)
        name = name_below_page(request)
        raise Refusal.new(404, "there is nothing here; the address is the one that rperf printed") unless name == "" || @downloads.key?(name)
        raise Refusal.new(405, "only #{METHODS} are possible", "allow" => METHODS) unless request.get? || request.head?
        name == "" ? @page : Response.new(200, Headers.download(name), @downloads.fetch(name).call)
      end

      # What of the path is behind the page's: "" is the page itself, nil is elsewhere. Takes the
      # same time however much of the path is right.
      def name_below_page(request)
        path = request.target.sub(/[?#].*/m, "")
        start = path.byteslice(0, @path.bytesize)
        is_right = start.bytesize == @path.bytesize && start.bytes.zip(@path.bytes).sum { |one, other| one ^ other }.zero?
        path.byteslice(@path.bytesize..) if is_right
      end
    end
  end
end
