# frozen_string_literal: true

require_relative "own_thread"

module Rperf
  # Short time slices for the program's threads while rperf ends with the process. After each file,
  # socket or lock, rperf's threads wait for a time slice of each thread that computes: 0.1 s, or
  # 0.02 s if that thread has the lowest priority.
  module ShortSlices
    # The lowest priority of a thread.
    LOWEST = -3

    # Runs the block. Afterwards the threads have the priorities that they had, and those that they
    # have started meanwhile have Ruby's usual one.
    def self.during
      before = programs.to_h { |thread| [thread, thread.priority] }
      before.each_key { |thread| thread.priority = LOWEST }
      yield
    ensure
      programs.each { |thread| thread.priority = before.fetch(thread, 0) if thread.priority == LOWEST } if before
    end

    # The program's threads, but for the calling one.
    def self.programs = Thread.list - OwnThread.all - [Thread.current]
    private_class_method :programs
  end
end
