# frozen_string_literal: true

# The program of bench/fleet's limits: units of work of 500 names that wait in 5,000 stacks. After
# some seconds an agent, whose server is away, and a recorder begin. From then on it prints as JSON
# what both keep, once a second for the number of seconds in its first argument.

require "json"
require_relative "../support/rperf"
require_relative "many_stacks"
require "rperf/agent"
require "rperf/recorder"

# The leaf is a short wait: each is a sample, merged with those of its stack and labels.
def ManyStacks.leaf = sleep(0.000_05)

NAMES = 500
PERIOD = 5
# Number of waits of a unit of work: enough for most pairs of a stack and a name in each period.
WAITS = 20
# Seconds in which the program alone reaches its size.
ALONE = 10

def unit(number) = Rperf.work("GET /endpoint/#{number % NAMES}", kind: :request) { WAITS.times { |wait| ManyStacks.go((number * WAITS + wait) % ManyStacks::WAYS) } }

# Bytes that are resident now ("VmRSS"), or were at most ("VmHWM").
def resident(word) = File.read("/proc/self/status")[/^#{word}:\s+(\d+)/, 1].to_i * 1024

seconds, directory = Integer(ARGV.fetch(0)), ARGV.fetch(1)
quiet = Class.new { def info(_) = nil; def warn(_) = nil }.new
3.times { |first| Thread.new { (first..).step(3) { |number| unit(number) } } }
sleep ALONE
before = resident("VmRSS")
Rperf::Agent.start(push: "pprof+http://127.0.0.1:9", period: PERIOD, service: "limits", max_overhead: 1, logger: quiet)
Rperf::Recorder.start(directory: "#{directory}/recordings", slow: false, gc: false)
$stdout.sync = true
seconds.times do |second|
  sleep 1
  Rperf.dump(reason: "in the middle") if second == seconds / 2
  status = Rperf::Recorder.status
  puts JSON.generate(more: resident("VmRSS") - before, most: resident("VmHWM") - before, outbox: Rperf::Agent.status[:destinations].values.first[:outbox_bytes], window: status[:bytes],
                     given_up: status[:given_up], recordings: status[:made])
end
