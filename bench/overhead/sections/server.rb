# frozen_string_literal: true

# nio4r may be without its C code: see script/setup/puma.sh.
ENV["NIO4R_PURE"] = "true"
require "puma"
require "puma/server"
require "rperf/middleware"
require_relative "../../memory/programs/rails"
require_relative "cpu_bound"

module Overhead
  module Sections
    # Cost of profiling for requests of Rails in a server, whose threads compete for the GVL. The
    # clients are in a process of their own, whose time is not counted.
    class Server < CpuBound
      THREADS = 5
      HZ = [99, 10].freeze
      # Program of the clients. Its argument is the port. Each line on stdin is a number of
      # requests; when they are answered, the program writes a line.
      CLIENTS = <<~'RUBY'
        require "net/http"
        PATHS = %w[/users /users/7 /page /users/12]
        clients = Array.new(4) { Net::HTTP.start("127.0.0.1", ARGV.first.to_i) }
        $stdout.sync = true
        while (requests = $stdin.gets)
          clients.map do |client|
            Thread.new { (requests.to_i / 4).times { |number| client.get(PATHS[number % 4]).value } }
          end.each(&:join)
          puts
        end
      RUBY
      REQUESTS = 2000

      def initialize(rounds:, quick:)
        super
        @requests = quick ? REQUESTS / 10 : REQUESTS
      end

      def title = "Rails in Puma, #{THREADS} threads, four clients, #{HZ.first} Hz: medians of #{@rounds} interleaved rounds of #{@requests} requests, [quartiles]"

      def tables
        serve { |clients| [compared(variants) { ask(clients) }] }
      end

      private

      def ask(clients)
        clients.puts @requests
        clients.gets
      end

      def variants
        [Variant.nothing, Variant.bare(:thread, hz: HZ.first), session("no middleware", Application, HZ.first),
         *HZ.map { |hz| session("#{hz} Hz", @middleware, hz) }]
      end

      def session(name, application, frequency)
        start = lambda do
          @application = application
          Rperf.start(mode: :wall, frequency:)
        end
        Variant.new("rperf, wall, #{name}", start:, stop: -> { Rperf.stop })
      end

      # Yields the pipe to the clients of a server.
      def serve(&)
        @application = Application
        @middleware = Rperf::Middleware.new(Application)
        server = Puma::Server.new(->(env) { @application.call(env) }, nil, min_threads: THREADS, max_threads: THREADS,
                                  queue_requests: false, log_writer: Puma::LogWriter.null)
        server.add_tcp_listener("127.0.0.1", 0)
        server.run
        IO.popen([RbConfig.ruby, "-e", CLIENTS, server.connected_ports.first.to_s], "r+", &)
      ensure
        server&.stop(true)
      end
    end
  end
end
