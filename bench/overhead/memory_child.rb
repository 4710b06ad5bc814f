# frozen_string_literal: true

# One figure of the section "memory": ruby memory_child.rb same|unique SAMPLES true|false(aggregate)

require "json"
require_relative "../workloads/workloads"
require_relative "../support/rperf"

# Grows a profile to a wanted size.
class Growth
  HZ = 10_000
  # Depth of the calls, for 2 ** 20 paths.
  LEVELS = 20

  def initialize(stacks:, samples:, aggregate:)
    @unique = stacks == "unique"
    @samples = samples
    @aggregate = aggregate
  end

  def run
    grow(1.0) # what the process needs anyway is there before anything is measured
    before = resident
    Rperf.start(mode: :cpu, frequency: HZ, aggregate: @aggregate)
    grow(@samples / HZ.to_f)
    sampling = resident - before
    data = Rperf.stop
    { samples: data[:sampling_count], unique_stacks: data[:unique_stacks], sampling:, stopped: resident - before }
  end

  private

  # Takes another path for each tick: as many unique stacks as ticks.
  def grow(seconds)
    end_ns = Workloads.thread_cpu_ns + seconds * 1e9
    path = 0
    while Workloads.thread_cpu_ns < end_ns
      left(@unique ? path : 0, LEVELS)
      path += 1
    end
  end

  def left(path, level) = go_on(path, level)
  def right(path, level) = go_on(path, level)

  def go_on(path, level)
    return Workloads.burn_thread_cpu(1_000_000_000 / HZ) if level.zero?

    path.odd? ? right(path >> 1, level - 1) : left(path >> 1, level - 1)
  end

  def resident
    GC.start
    File.read("/proc/self/statm").split[1].to_i * 4096
  end
end

stacks, samples, aggregate = ARGV
puts JSON.generate(Growth.new(stacks:, samples: Integer(samples), aggregate: aggregate == "true").run)
