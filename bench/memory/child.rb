# frozen_string_literal: true

# Runs a program of bench/memory under all variants in turns. Prints as JSON: nanoseconds of CPU
# time of each round, by variant, and the number of objects in a round of the program alone.

require "json"
require_relative "../overhead/lib/rounds"

program, rounds, seconds = ARGV
require_relative "programs/#{program}"

# CPU seconds until a JIT compiler has compiled most of a framework. Before that its own work would
# be measured, and the calibrated rounds would be too short.
WARM_UP = 2.0

def warm_up
  finish = Workloads.process_cpu_ns + WARM_UP * 1e9
  Program.call while Workloads.process_cpu_ns < finish
end

# Returns a number of calls of Program.call that takes some `seconds` of CPU time.
def calls_for(seconds)
  calls = 1
  loop do
    started = Workloads.process_cpu_ns
    calls.times { Program.call }
    taken = Workloads.process_cpu_ns - started
    return (calls * seconds * 1e9 / taken).ceil if taken > 50_000_000
    calls *= 2
  end
end

def rperf(name, **options)
  Overhead::Variant.new(name, start: -> { Rperf.start(**options) }, stop: -> { Rperf.stop })
end

tracepoint = Overhead::Variant.new("TracePoint, empty", start: -> { Workloads.add_newobj_tracepoint },
  stop: -> { Workloads.remove_newobj_tracepoint })
variants = [
  Overhead::Variant.nothing, tracepoint, rperf("alloc, event", mode: :alloc, watch: :event),
  rperf("alloc, direct", mode: :alloc, watch: :direct),
  rperf("alloc, malloc", mode: :alloc, watch: :direct, malloc: true), rperf("heap, direct", mode: :heap, watch: :direct, gc: false),
  rperf("heap, malloc", mode: :heap, watch: :direct, malloc: true, gc: false),
  rperf("cpu", mode: :cpu), rperf("cpu and alloc, direct", mode: %i[cpu alloc], watch: :direct)
]
warm_up
calls = calls_for(Float(seconds))
before = GC.stat(:total_allocated_objects)
calls.times { Program.call }
objects = GC.stat(:total_allocated_objects) - before
costs, = Overhead::Rounds.new(variants, rounds: Integer(rounds)).run { calls.times { Program.call } }
puts JSON.generate(objects:, costs: costs.transform_values { |of_variant| of_variant.map(&:cpu) })
