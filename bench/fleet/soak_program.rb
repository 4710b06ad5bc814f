# frozen_string_literal: true

# The program of bench/fleet/soak: units of work of 500 names, with links, some slow and some
# failed, with an agent, a recorder and control. Regularly prints as JSON what it keeps.

require "json"
require "securerandom"
require_relative "../support/rperf"
require "rperf/agent"
require "rperf/control"
require "rperf/recorder"

ENDPOINTS = 500
# Duration of a slow unit of work, and time between two lines, in seconds.
SLOW = 0.3
LINE = 10

push, period, rate, directory = ARGV

def resident = File.read("/proc/self/statm").split[1].to_i * 4096

def request(number)
  Rperf.work("GET /endpoint/#{number % ENDPOINTS}", kind: :request) do |work|
    Rperf::Native.link_work(SecureRandom.bytes(16), SecureRandom.bytes(8))
    Rperf.label(step: (number % 40).to_s) { 2_000.times { |at| at.to_s } }
    Class.new { def work = Array.new(10) { +"own" } }.new.work
    sleep(SLOW) if (number % 997).zero?
    work.error! if (number % 211).zero?
  end
end

Rperf::Agent.start(push:, period: Float(period), service: "soak", slow: SLOW / 2, max_overhead: 1, logger: Class.new { def info(_) = nil; def warn(_) = nil }.new)
Rperf::Recorder.start(directory: "#{directory}/recordings", slow: SLOW / 2)
Rperf::Control.start(socket: false, listen: "127.0.0.1:0")
$stdout.sync = true
trap(:TERM) { exit! }
threads = Array.new(2) do |first|
  Thread.new { (first..).step(2) { |number| request(number).tap { $number = number }; sleep(2 / Float(rate)) } }
end
(1..).each do |number|
  sleep(LINE)
  Rperf::Control::Metrics.response(nil)
  counts = Rperf::Agent.status[:destinations].values.first
  puts JSON.generate(period: number, requests: $number, resident:, written: counts[:outbox_bytes], tables: Rperf::Native.table_sizes, counts:,
                     recorder: Rperf::Recorder.status.slice(:made, :failed, :bytes), alive: threads.count(&:alive?))
end
