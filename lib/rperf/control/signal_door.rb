# frozen_string_literal: true

require_relative "../own_thread"
require_relative "../options"
require_relative "guest_session"
require_relative "parameters"

module Rperf
  module Control
    # A signal that begins a session, and ends it when it comes again; the profile is kept for
    # `rperf stop`. Without a second signal the session ends by itself.
    class SignalDoor
      # Numbers of real-time signals, which alone have no meaning of their own.
      NUMBERS = Options::Value::TimerSignal::REAL_TIME
      # Values that Ruby returns for the handler of a signal without one.
      NONE = [nil, "DEFAULT", "SYSTEM_DEFAULT"].freeze

      # Raises ArgumentError for a number that is no real-time signal.
      def initialize(number)
        @number = number
        return if number.is_a?(Integer) && NUMBERS.cover?(number)
        raise ArgumentError, "signal: must be the number of a real-time signal, #{NUMBERS.min} to #{NUMBERS.max}, such as 43, not #{Error.shown(number)}"
      end

      # Name of the door: its signal.
      def address = "signal #{@number}"

      # Opens the door. Raises Rperf::Error, such as where the program handles the signal itself.
      def open
        @asked = asked = Thread::Queue.new
        @before = Signal.trap(@number) { asked << true unless asked.closed? }
        raise Error, "the program handles the signal #{@number} itself: take another one (signal:)" unless NONE.include?(@before)
        @thread = OwnThread.start("rperf control") { toggle while asked.pop }
      rescue Error
        withdraw
        raise
      end

      # Ends the thread of the door.
      def close
        @asked.close
        @thread.join
      end

      # Gives the signal its earlier handler back.
      def withdraw = Signal.trap(@number, @before || "DEFAULT")
      alias abandon withdraw

      private

      def toggle
        GuestSession.own? ? GuestSession.stop : GuestSession.start(Options.from_keywords({}), seconds: Parameters::MOST_SECONDS)
      rescue StandardError => error
        Error.complain "the signal #{@number} changes nothing: #{error.message}"
      end
    end
  end
end
