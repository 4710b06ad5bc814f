# frozen_string_literal: true

module Rperf
  class Agent
    # The part of the time in which the agent records: `on` seconds of each `of` seconds.
    Duty = Data.define(:on, :of) do
      # Returns the Duty of a text such as "10s/60s". Raises ArgumentError with one sentence.
      def self.parse(text, subject)
        return text if text.is_a?(self)
        on, of = text.to_s.match(%r{\A(\d+)s?/(\d+)s?\z})&.captures&.map(&:to_i)
        return new(on:, of:) if on && on.positive? && on <= of && of <= 600
        raise ArgumentError, "#{subject} must be such as '10s/60s' (seconds recorded / seconds of a cycle, at most 600), not #{Error.shown(text)}"
      end

      # Seconds without recording.
      def off = of - on
    end
  end
end
