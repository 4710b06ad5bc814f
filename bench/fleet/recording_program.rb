# frozen_string_literal: true

# The program of bench/fleet's recording: a recorder's window is full of 5,000 stacks, and a thread
# waits again and again for 0.1 ms while recordings are made. Prints as JSON how much longer it
# waited at most, and how long each recording took; in the first row, without a recording.

require "json"
require_relative "../support/rperf"
require_relative "many_stacks"
require "rperf/recorder"

# The leaf is a short wait: a sample.
def ManyStacks.leaf = sleep(0.000_05)

# Many recordings in a minute are allowed here.
def (Rperf::Recorder::Allowance).new = Class.new { def take(_now) = nil }.allocate

# Seconds in which the window gets its samples, and in which nothing is recorded.
FILLING = 30
ALONE = 2

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Returns by how many milliseconds a wait was longer than it should.
def delay
  begun = now
  sleep 0.0001
  (now - begun - 0.0001) * 1e3
end

# Returns the longest delay and the seconds until the block returns true.
def row
  begun = now
  longest = 0
  longest = [longest, delay].max until yield(now - begun)
  {delay: longest, seconds: now - begun}
end

directory, count = ARGV.fetch(0), Integer(ARGV.fetch(1))
Rperf::Recorder.start(directory:, slow: false, stuck: false, gc: false)
begun = now
ManyStacks.visit while now - begun < FILLING
rows = [row { |seconds| seconds >= ALONE }]
count.times do
  recording = Thread.new { Rperf::Recorder.keeper.record!(Rperf::Recorder::Cause.called(:call, "bench")) }
  rows << row { !recording.alive? }
  recording.value
end
puts JSON.generate(rows)
