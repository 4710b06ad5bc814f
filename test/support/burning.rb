# frozen_string_literal: true

# Computing and waiting that say by the clock how long they took. What was asked for is not what was
# used: a machine may stand still between two looks at the clock. So tests compare a profile with
# what was measured beside it.
#
# For tests and, by `require`, for the programs that they profile: it needs nothing but Ruby.
module Burning
  # So many nanoseconds of a clock, with those among them in which the program stood still (a
  # hypervisor took the processor, another program had it): such a time is the weight of one tick,
  # that of whatever runs when it is over.
  Spent = Struct.new(:ns, :stalled) do
    def +(other) = Spent.new(ns + other.ns, stalled + other.stalled)
  end
  NOTHING = Spent.new(0, 0).freeze

  # A step of the computation takes some 20 us. One that took longer than this stood still
  # (nanoseconds).
  STALL = 2_000_000
  CPU = Process::CLOCK_THREAD_CPUTIME_ID
  WALL = Process::CLOCK_MONOTONIC

  module_function

  # Computes for so many seconds of the calling thread's CPU time; when it stood still is not
  # counted. Allocates nothing meanwhile. Returns the Spent.
  def burn(seconds)
    left = (seconds * 1_000_000_000).to_i
    stalled = 0
    before = begun = Process.clock_gettime(CPU, :nanosecond)
    while left.positive?
      # Asking for the time is a system call: few of them, as ticks do not come in the kernel.
      500.times { |number| number ^ 1 }
      now = Process.clock_gettime(CPU, :nanosecond)
      now - before > STALL ? stalled += now - before : left -= now - before
      before = now
    end
    Spent.new(before - begun, stalled)
  end

  # The Spent of the block, by this clock. (It does not know when it stood still.)
  def spent(clock)
    begun = Process.clock_gettime(clock, :nanosecond)
    yield
    Spent.new(Process.clock_gettime(clock, :nanosecond) - begun, 0)
  end
end
