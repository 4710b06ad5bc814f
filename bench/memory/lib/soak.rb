# frozen_string_literal: true

require "json"
require "net/http"
require "rbconfig"
require "tmpdir"

module MemoryBench
  # A server in a process of its own, under load, that reports after each period what it keeps.
  class Soak
    SERVER = File.expand_path("../soak_server.rb", __dir__)
    PATHS = ["/users", "/users/7", "/page", "/users/12"].freeze
    # Connections that ask at the same time.
    CLIENTS = 2

    # Reports of the server, a Hash for each period.
    attr_reader :rows

    # modes: as for -m, or none; period: in seconds; rate: requests a second; interval: as for -i
    def initialize(program, modes, period:, rate:, interval:)
      @command = [RbConfig.ruby, SERVER, program, modes, period.to_s, interval.to_s]
      @pause = CLIENTS / rate.to_f
      @rows = []
    end

    # Runs the server for `seconds`.
    def run(seconds)
      Dir.mktmpdir do |directory|
        IO.popen({"NIO4R_PURE" => "true"}, @command, chdir: directory) do |server|
          port = Integer(server.gets || abort("bench/memory: the server '#{@command.join(" ")}' did not start"))
          clients = Array.new(CLIENTS) { Thread.new { ask(port, now + seconds) } }
          reader = Thread.new { server.each_line { |line| @rows << JSON.parse(line, symbolize_names: true) } }
          clients.each(&:join)
          Process.kill(:TERM, server.pid)
          reader.join
        end
      end
    end

    private

    def ask(port, deadline)
      Net::HTTP.start("127.0.0.1", port) do |connection|
        PATHS.cycle do |path|
          break if now > deadline
          response = connection.get(path)
          raise "#{path}: #{response.code}" unless response.is_a?(Net::HTTPOK)
          sleep(@pause)
        end
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
