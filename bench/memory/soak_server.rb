# frozen_string_literal: true

# The server of bench/memory/soak: Puma with an application of bench/memory/programs. Its requests
# do what could pile up in a profiler. Prints its port, and after each period as JSON what it keeps.

require "json"
require "puma"
require "puma/server"
require_relative "../support/rperf"
require "rperf/middleware"

program, modes, period, interval = ARGV
require_relative "programs/#{program}"

# Middleware that gives each request labels, threads and code of its own, and keeps a part of its
# objects for a while.
class Churn
  KEPT = 500

  def initialize(app)
    @app = app
    @kept = Array.new(KEPT)
    @number = 0
  end

  attr_reader :number

  def call(env)
    number = @number += 1
    Rperf.label(request: number.to_s) do
      @kept[number % KEPT] = Array.new(20) { |part| "part #{part} of #{number}" }
      Thread.new { Class.new { def work = Array.new(10) { +"own" } }.new.work }.join
      @app.call(env)
    end
  end
end

def resident = File.read("/proc/self/statm").split[1].to_i * 4096

# Writes the profiles of a period, and returns their size in bytes.
def write(number)
  [Rperf.snapshot(clear: true)].flatten.compact.sum do |data|
    path = Rperf.save("#{data[:mode]}.#{number % 3}.pb.gz", data)
    File.size(path)
  end
end

churn = Churn.new(Application)
# Without Puma's reactor: nio4r without its C code never empties the pipe that wakes it, and then
# never sleeps again.
server = Puma::Server.new(Rperf::Middleware.new(churn), nil, min_threads: 2, max_threads: 4, queue_requests: false, log_writer: Puma::LogWriter.null)
server.add_tcp_listener("127.0.0.1", 0)
server.run
$stdout.sync = true
puts server.connected_ports.first
trap(:TERM) { exit! }
modes = modes.split(",").map(&:to_sym)
Rperf.start(mode: modes.one? ? modes.first : modes, interval: Integer(interval)) unless modes == [:none]
(1..).each do |number|
  sleep(Float(period))
  written = write(number)
  puts JSON.generate(period: number, requests: churn.number, resident:, written:, tables: Rperf::Native.table_sizes)
end
