# frozen_string_literal: true

# What stands for the surroundings of the agent's parts.
module AgentDoubles
  # Keeps the lines of a log.
  class Lines < Array
    alias info <<
    alias warn <<
  end

  # A back-off without waiting.
  class Eager
    def failed(wanted = nil) = wanted || 0
    def succeeded = nil
  end

  # Seconds that the block takes while another thread computes, with a time slice of 12 ms instead
  # of 100.
  def beside_computing
    computing = Thread.new { loop { 1 + 1 } }
    computing.priority = -3
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
  ensure
    computing.kill.join
  end

  # A profile of a second that began so many seconds ago.
  def profile(age: 0)
    start = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - age * 1_000_000_000
    Rperf::Native::Profile.from_h({mode: :cpu, samples: [], start_time_ns: start, duration_ns: 1_000_000_000})
  end
end
