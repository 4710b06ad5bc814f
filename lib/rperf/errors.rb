# frozen_string_literal: true

module Rperf
  # What goes wrong outside the caller's code (a file that cannot be written, a session that already
  # runs, a damaged profile). The message is one sentence that names the thing and what to do.
  # Values that the caller got wrong are ArgumentErrors, with the same kind of message.
  class Error < StandardError
    # What the system says of a SystemCallError, without the function of Ruby that met it, and what
    # that was called with.
    def self.reason(error) = error.message.scrub.sub(/ (?:@ \w|- ).*/m, "")

    # One sentence on stderr, while the program goes on.
    def self.complain(sentence) = say("rperf: #{sentence}\n")

    # A text on stderr. Nothing happens where stderr takes none (a full disk, a closed pipe): what
    # is said beside the program must not reach it.
    def self.say(text)
      $stderr.write(text)
    rescue StandardError
      nil
    end
  end

  # The flight recorder is asked for something, and does not run.
  class NoRecorder < Error
    def initialize(message = "no recorder runs in this process: start it with Rperf::Recorder.start, or the process with RPERF_RECORDER=1") = super
  end
  private_constant :NoRecorder
end
