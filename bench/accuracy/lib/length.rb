# frozen_string_literal: true

module Accuracy
  # Duration of a case: `seconds` on the clock of the mode, which is the CPU time of the process in
  # cpu mode, since ticks come by that clock. Without a spare processor it may take up to
  # `wall_limit` seconds of wall time.
  class Length
    # Maximum wall seconds for each second on the clock of the mode.
    WALL_FACTOR = 5

    attr_reader :seconds

    # The duration begins now. It is frozen, so that Ractors can share it.
    def initialize(seconds, wall_limit: seconds * WALL_FACTOR)
      @seconds = seconds
      @began = now
      @end = @began + nanoseconds(seconds)
      @wall_end = Workloads.monotonic_ns + nanoseconds(wall_limit)
      freeze
    end

    def over? = now >= @end || Workloads.monotonic_ns >= @wall_end

    # Seconds on the clock of the mode since the beginning.
    def spent = (now - @began) / 1e9

    private

    def now = Workloads.clock == :cpu ? Workloads.process_cpu_ns : Workloads.monotonic_ns
    def nanoseconds(seconds) = (seconds * 1e9).to_i
  end
end
