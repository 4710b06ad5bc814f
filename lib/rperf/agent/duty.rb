# frozen_string_literal: true

module Rperf
  class Agent
    # A part of the time in which is recorded: so many seconds of so many.
    Duty = Data.define(:on, :of) do
      # Of a text such as "10s/60s". Raises ArgumentError with one sentence.
      def self.parse(text, subject)
        return text if text.is_a?(self)
        on, of = text.to_s.match(%r{\A(\d+)s?/(\d+)s?\z})&.captures&.map(&:to_i)
        return new(on:, of:) if on && on.positive? && on <= of && of <= 600
        raise ArgumentError, "#{subject} must be such as '10s/60s' (seconds recorded, of so many, 600 at most), not #{text.inspect}"
      end

      # Seconds in which is not recorded.
      def off = of - on
    end
  end
end
