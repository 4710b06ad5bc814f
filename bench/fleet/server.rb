# frozen_string_literal: true

# The server of bench/fleet: Puma with five threads, whose requests compute for 10 ms. Prints its
# port. With RPERF_PUSH_URL it has an agent, with RPERF_RECORDER a recorder. With BARE_TIMER=HZ it
# has a native thread that wakes at this frequency and does nothing.

require "puma"
require "puma/server"
require_relative "../support/rperf"
require_relative "../workloads/workloads"
require "rperf/middleware"

def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

def compute(seconds)
  finish = now + seconds
  100.times { |number| number.to_s } while now < finish
end

application = lambda do |_env|
  compute(0.010)
  [200, {}, ["done"]]
end
server = Puma::Server.new(Rperf::Middleware.new(application), nil, min_threads: 5, max_threads: 5, queue_requests: false, log_writer: Puma::LogWriter.null)
server.add_tcp_listener("127.0.0.1", 0)
server.run
Workloads.arm_bare_timer(:worker, Integer(ENV["BARE_TIMER"])) if ENV["BARE_TIMER"]
$stdout.sync = true
puts server.connected_ports.first
$stdin.read
