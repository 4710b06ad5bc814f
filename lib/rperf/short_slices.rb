# frozen_string_literal: true

require_relative "own_thread"

module Rperf
  # Short time slices for the program's threads while rperf ends with the process. After each file,
  # socket or lock, rperf's threads wait for a time slice of each thread that computes: 0.1 s, or
  # 0.02 s if that thread has the lowest priority.
  module ShortSlices
    # The lowest priority of a thread.
    LOWEST = -3

    # Runs the block. Afterwards the threads have the priorities that they had.
    def self.during
      before = (Thread.list - OwnThread.all - [Thread.current]).to_h { |thread| [thread, thread.priority] }
      before.each_key { |thread| thread.priority = LOWEST }
      yield
    ensure
      before&.each { |thread, priority| thread.priority = priority if thread.priority == LOWEST }
    end
  end
end
