# frozen_string_literal: true

module Rperf
  # The moments of birth that Rperf.snapshot(born:) selects.
  module Births
    # Moments that a session can represent.
    MOMENTS = -(1 << 63)...(1 << 63)

    # Raises ArgumentError with one sentence if this is no range of Times, or if `clear` gives it no
    # meaning.
    def self.check(range, clear:)
      unless range.is_a?(Range) && [range.begin, range.end].all? { |moment| moment.nil? || moment.is_a?(Time) }
        raise ArgumentError, "born: must be a range of Times, such as (Time.now - 60)..Time.now, not #{Error.shown(range)}"
      end
      raise ArgumentError, "born: and clear: do not go together: what was allocated would be lost; take two snapshots" if clear
    end

    # Returns the first and the last moment of a range, in nanoseconds since 1970; nil for an open
    # end. Raises ArgumentError with one sentence if the session has no such moments.
    def self.moments(range, modes:)
      unless modes.include?(:heap)
        raise ArgumentError, "born: belongs to the mode heap, not to #{modes.join(" and ")}: leave it out, or choose another mode"
      end
      first, last = [range.begin, range.end].map { |moment| moment && moment.to_i * 1_000_000_000 + moment.nsec }
      last -= 1 if last && range.exclude_end?
      [first, last].map { |moment| moment&.clamp(MOMENTS.begin, MOMENTS.last - 1) }
    end
  end
end
