# frozen_string_literal: true

require_relative "utf8"

module Rperf
  # An error outside the caller's code (a file that cannot be written, a session that already runs,
  # a damaged profile). The message is one sentence that names the thing and what to do. Invalid
  # values from the caller are ArgumentErrors, with the same kind of message.
  class Error < StandardError
    # Maximum number of letters of a wrong value in a message.
    SHOWN = 80
    private_constant :SHOWN

    # Returns a wrong value for a message: its `inspect`, which a program may have defined, in one
    # line.
    def self.shown(value) = short(value.inspect.to_s)

    # Returns a wrong text for a message: one line of some length. Binary words stay as they are.
    def self.short(text)
      line = UTF8.printable(text.encoding.ascii_compatible? ? text.scrub : UTF8.of(text))
      line.length > SHOWN ? "#{line[0, SHOWN]}..." : line
    end

    # Returns the system's message of a SystemCallError, without the name of Ruby's function and its
    # arguments. If no descriptor is free, says what to do.
    def self.reason(error)
      case error
      when Errno::EMFILE, Errno::ENFILE then "no file descriptor is free; close files or sockets, or raise the limit (ulimit -n)"
      else error.message.scrub.sub(/ (?:@ \w|- ).*/m, "")
      end
    end

    # Returns what an error of the program's code says in one line: its class, and the first line of
    # its message.
    def self.headline(error) = "#{error.class}: #{error.message.lines("\n", chomp: true).first}"

    # Raises Rperf::Error in a Ractor other than the main one, to which sessions and their threads
    # belong. method: what was called
    def self.check_ractor(method)
      return if Ractor.main?
      raise Error, "#{method} works in the main Ractor only: call it there; a session sees the threads of all Ractors"
    end

    # Raises Rperf::Error in a signal handler, which may take no lock. method: what was called
    def self.check_handler(method)
      Thread::Mutex.new.synchronize { nil }
    rescue ThreadError
      raise Error, "#{method} waits for other threads, and no signal handler may: start a thread there that calls it", cause: nil
    end

    # Prints one sentence on stderr, while the program goes on. It may have names of files and other
    # words of any bytes, and is one line nevertheless.
    def self.complain(sentence) = say("rperf: #{UTF8.printable(sentence)}\n")

    # Prints a text on stderr. If stderr accepts no text (a full disk, a closed pipe), nothing
    # happens: errors of rperf's own output must not reach the program.
    def self.say(text)
      $stderr.write(text)
    rescue StandardError
      nil
    end
  end

  # An error for a request to the flight recorder when it does not run.
  class NoRecorder < Error
    def initialize(message = "no recorder runs in this process: start it with Rperf::Recorder.start, or the process with RPERF_RECORDER=1") = super
  end
  private_constant :NoRecorder
end
