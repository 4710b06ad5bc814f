# frozen_string_literal: true

# Measures the memory after 1e5 and 1e6 samples of the same few stacks and after 1e5 unique stacks,
# and the cost of a profile at the end of the process. Ticks are taken by hand (no timer, so it
# takes seconds): ruby -Ilib bench/overhead/memory_by_tick.rb

require "rperf"
require "rperf/layout_proof"
require "tmpdir"

# Figure of /proc/self/status, in MB.
def status(name) = File.read("/proc/self/status")[/^#{name}:\s*(\d+)/, 1].to_i / 1024.0
def resident = status("VmRSS")
def peak = status("VmHWM")

def start(aggregate: true)
  Rperf::Native.start(frequency: 1000, mode: :cpu, signal: nil, aggregate:, lines: true, manual: true)
  resident
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

def deep(depth) = depth.zero? ? Rperf::Native.tick : deep(depth - 1)

# Runs the block in a process of its own: the peak of one would hide that of the next.
def in_child
  $stdout.flush
  Process.wait(fork { yield })
end

# Prints the memory, beside the samples, for ending the session and writing the profile.
def ending(name, format)
  in_child do
    before = start(aggregate: false)
    yield
    GC.start
    sampled = resident
    profile = Rperf::Native.stop_at_end({})
    Dir.mktmpdir { |directory| Rperf::OutputFile.new("#{directory}/profile").write_profile(profile, format) }
    puts format("| %s, as %s | %+.1f | %+.1f |", name, format, sampled - before, peak - sampled)
  end
end

Rperf::LayoutProof.ensure
puts "| what | resident set above the start, MB | unique stacks |"
puts "| --- | ---: | ---: |"
in_child do
  before = start
  { "1e5 samples" => 100_000, "1e6 samples" => 900_000 }.each do |name, more|
    same_stacks(more)
    puts format("| %s, the same stacks | %+.1f | |", name, resident - before)
  end
end
in_child do
  before = start
  walk(17)
  grown = resident - before
  puts format("| 131,072 unique stacks of about 50 frames | %+.1f | %d |", grown, Rperf::Native.stop.figures[:unique_stacks])
end

puts "", "| `aggregate: false` | samples above the start, MB | peak above the samples when the profile is written, MB |"
puts "| --- | ---: | ---: |"
%i[json pprof speedscope firefox callgrind].each do |format|
  ending("600,000 samples of 40 stacks", format) { 600_000.times { |number| deep(number % 40) } }
end
%i[json pprof].each { |format| ending("131,072 samples, each with a stack of its own", format) { walk(17) } }
