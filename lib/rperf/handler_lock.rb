# frozen_string_literal: true

module Rperf
  # A lock for code that signal handlers run, too. A handler may not take a lock, and it may have
  # interrupted the thread that has the lock: it does not wait, and goes on without the lock.
  class HandlerLock
    def initialize = @mutex = Thread::Mutex.new

    # Runs one block at a time. `refusal`: the message of the Rperf::Error that a signal handler
    # gets while a thread has the lock; without it the handler runs the block as well.
    def synchronize(refusal: nil)
      entered = false
      @mutex.synchronize { entered = true; yield }
    rescue ThreadError
      raise if entered
      raise Error, refusal if refusal && @mutex.locked?
      yield
    end
  end
end
