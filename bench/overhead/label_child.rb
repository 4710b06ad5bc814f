# frozen_string_literal: true

# Measures label calls in this process: {case => [ns beyond a method that yields, for each round]}
# as JSON.

require "json"
require_relative "../support/rperf"
require "rperf/work"

CALLS, ROUNDS = ARGV.map { |word| Integer(word) }
REQUESTS = Array.new(100) { |number| "request #{number}" }.freeze

def bare = yield

# Mean time of one call of the block, in ns.
def each_call
  index = 0
  before = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  while index < CALLS
    yield index
    index += 1
  end
  (Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - before) / CALLS.to_f
end

CASES = {
  "one label" => -> { each_call { Rperf.label(request: "abc") { nil } } },
  # The time for finding the value is subtracted.
  "one label, 100 values" => -> { each_call { |index| Rperf.label(request: REQUESTS[index % 100]) { nil } } - each_call { |index| REQUESTS[index % 100] } + each_call { nil } },
  "three labels" => -> { each_call { Rperf.label(request: "abc", user: 12, kind: :fast) { nil } } },
  "inside of another" => -> { Rperf.label(outer: "x") { each_call { Rperf.label(request: "abc") { nil } } } },
  "one label, no session" => -> { Rperf.stop; each_call { Rperf.label(request: "abc") { nil } }.tap { Rperf.start } },
  "a unit of work" => -> { each_call { Rperf.work("abc") { nil } } },
  "a unit of work, wall mode" => -> { Rperf.stop; Rperf.start(mode: :wall); each_call { Rperf.work("abc") { nil } }.tap { Rperf.stop; Rperf.start } },
  "a unit of work, no session" => -> { Rperf.stop; each_call { Rperf.work("abc") { nil } }.tap { Rperf.start } }
}.freeze

Rperf.start
costs = Hash.new { |hash, name| hash[name] = [] }
ROUNDS.times do
  base = each_call { bare { nil } }
  CASES.each { |name, work| costs[name] << work.call - base }
end
puts JSON.generate(costs)
