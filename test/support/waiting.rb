# frozen_string_literal: true

# Waits for conditions.
module Waiting
  module_function

  # Calls the block again and again, and returns its value as soon as that is true. Raises if this
  # takes more than `seconds`, which no test needs even on a busy machine.
  #
  # what: names what is waited for, a text or a Proc that returns the text
  def await(what, seconds: 180)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    until (value = yield)
      raise "in vain: #{what.respond_to?(:call) ? what.call : what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep 0.02
    end
    value
  end
end
