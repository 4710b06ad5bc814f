# frozen_string_literal: true

# Memory after 1e5 and 1e6 samples of the same few stacks, and after 1e5 unique stacks, with ticks taken by hand
# (no timer, so it takes seconds): ruby -Ilib bench/overhead/memory_by_tick.rb

require "rperf"
require "rperf/layout_proof"

def resident_mb = File.read("/proc/self/status")[/VmRSS:\s*(\d+)/, 1].to_i / 1024.0

def session
  Rperf::Native.start(frequency: 1000, mode: :cpu, signal: nil, aggregate: true, lines: true, manual: true)
  before = resident_mb
  yield before
  Rperf::Native.stop
end

def same_stacks(number) = number.times { Rperf::Native.tick }

# Each path through the two methods is a stack of its own.
def left(depth) = walk(depth)
def right(depth) = walk(depth)

def walk(depth)
  return Rperf::Native.tick if depth.zero?
  left(depth - 1)
  right(depth - 1)
end

Rperf::LayoutProof.ensure
puts "| what | resident set above the start, MB | unique stacks |"
puts "| --- | ---: | ---: |"
session do |before|
  { "1e5 samples" => 100_000, "1e6 samples" => 900_000 }.each do |name, more|
    same_stacks(more)
    puts format("| %s, the same stacks | %+.1f | |", name, resident_mb - before)
  end
end
data = session do |before|
  walk(17)
  puts format("| 131,072 unique stacks of about 50 frames | %+.1f | |", resident_mb - before)
end
puts format("| the same, after stop, with the data hash | | %d |", data[:unique_stacks])
