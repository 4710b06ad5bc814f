# frozen_string_literal: true

# What stands for the surroundings of the agent's parts.
module AgentDoubles
  # As much as a sender asks a profile.
  Profile = Struct.new(:start_time_ns, :memory_size, :mode) do
    def figures = {duration_ns: 1_000_000_000}
  end

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

  # A profile that ended so many seconds ago.
  def profile(age: 0) = Profile.new(Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - age * 1_000_000_000, 100, :cpu)
end
