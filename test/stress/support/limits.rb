# frozen_string_literal: true

require_relative "../../../bench/workloads/workloads"

module Stress
  # The most that the profile of a session can hold, ns: the CPU time of the process, or in wall
  # mode the time of the session once for each thread. GC time is wall time in both modes.
  class Limits
    attr_reader :gc_ns

    def initialize(mode)
      @mode = mode
    end

    # Runs the session in the block, which returns its data hash, and returns that.
    def watch
      cpu = Workloads.process_cpu_ns
      wall = Workloads.monotonic_ns
      data = yield
      @cpu_ns = Workloads.process_cpu_ns - cpu
      @gc_ns = Workloads.monotonic_ns - wall
      @threads = data[:detected_thread_count]
      data
    end

    def program_ns
      @mode == :cpu ? @cpu_ns : @gc_ns * @threads
    end
  end
end
