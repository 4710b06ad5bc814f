# frozen_string_literal: true

module Rperf
  # The moments of birth that Rperf.snapshot(born:) selects.
  module Births
    # Moments that a session can represent.
    MOMENTS = -(1 << 63)...(1 << 63)

    # Returns the first and the last moment of a range of Times, in nanoseconds since 1970; nil for
    # an open end. Raises ArgumentError with one sentence if it is no such range, or if the session
    # or `clear` gives it no meaning.
    def self.moments(range, modes:, clear:)
      unless range.is_a?(Range) && [range.begin, range.end].all? { |moment| moment.nil? || moment.is_a?(Time) }
        raise ArgumentError, "born: must be a range of Times, such as (Time.now - 60)..Time.now, not #{Error.shown(range)}"
      end
      unless modes.include?(:heap)
        raise ArgumentError, "born: belongs to the mode heap, not to #{modes.join(" and ")}: leave it out, or choose another mode"
      end
      raise ArgumentError, "born: and clear: do not go together: what was allocated would be lost; take two snapshots" if clear
      first, last = [range.begin, range.end].map { |moment| moment && moment.to_i * 1_000_000_000 + moment.nsec }
      last -= 1 if last && range.exclude_end?
      [first, last].map { |moment| moment&.clamp(MOMENTS.begin, MOMENTS.last - 1) }
    end
  end
end
