# frozen_string_literal: true

require_relative "../own_thread"
require_relative "../options"
require_relative "guest_session"

module Rperf
  module Control
    # A signal of the system that begins a session, and ends it at the next one; its profile is kept
    # for `rperf stop`. A session that no second signal ends, ends by itself.
    class SignalDoor
      # Real-time signals: no others have a meaning of their own.
      NUMBERS = 34..64
      # What Ruby returns for the handler of a signal that has none.
      NONE = [nil, "DEFAULT", "SYSTEM_DEFAULT"].freeze
      # Seconds.
      LONGEST = 600

      # Raises ArgumentError.
      def initialize(number)
        @number = number
        return if number.is_a?(Integer) && NUMBERS.cover?(number)
        raise ArgumentError, "signal: must be the number of a real-time signal, #{NUMBERS.min} to #{NUMBERS.max}, such as 43, not #{number.inspect}"
      end

      # How it is asked.
      def address = "signal #{@number}"

      # Raises Rperf::Error where the program has a use for the signal.
      def open
        @asked = asked = Thread::Queue.new
        @before = Signal.trap(@number) { asked << true unless asked.closed? }
        return @thread = OwnThread.start("rperf control") { toggle while asked.pop } if NONE.include?(@before)
        withdraw
        raise Error, "the program handles the signal #{@number} itself: take another one (signal:)"
      end

      # Ends it.
      def close
        @asked.close
        @thread.join
      end

      # The signal does what it did before.
      def withdraw = Signal.trap(@number, @before || "DEFAULT")
      alias abandon withdraw

      private

      def toggle
        GuestSession.own? ? GuestSession.stop : GuestSession.start(Options.from_keywords({}), seconds: LONGEST)
      rescue StandardError => error
        Error.complain "the signal #{@number} changes nothing: #{error.message}"
      end
    end
  end
end
