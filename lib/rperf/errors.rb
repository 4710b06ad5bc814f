# frozen_string_literal: true

module Rperf
  # What goes wrong outside the caller's code (a file that cannot be written, a session that already
  # runs, a damaged profile). The message is one sentence that names the thing and what to do.
  # Values that the caller got wrong are ArgumentErrors, with the same kind of message.
  class Error < StandardError
    # What the system says of a SystemCallError, without the function of Ruby that met it.
    def self.reason(error) = error.message.sub(/ @ \w+.*/, "")
  end
end
