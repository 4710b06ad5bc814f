# frozen_string_literal: true

module Accuracy
  # A minimal scheduler of fibers (see Fiber::Scheduler): a fiber that waits for anything continues
  # after all others had their turn.
  class TurnTaking
    def initialize
      @waiting = []
    end

    def fiber(&) = Fiber.new(blocking: false, &).tap(&:resume)
    def close = (@waiting.shift.resume until @waiting.empty?)
    def kernel_sleep(_seconds = nil) = wait_for_turn
    def block(_blocker, _timeout = nil) = wait_for_turn
    def unblock(_blocker, _fiber) = nil
    # The fiber asks again when it continues.
    def io_wait(_io, events, _timeout) = wait_for_turn && events

    private

    def wait_for_turn
      @waiting << Fiber.current
      Fiber.yield
      true
    end
  end
end
