# frozen_string_literal: true

require_relative "one_line"

module Rperf
  # What Rperf.stop returns: a Hash like any other, but for how it is shown. It equals a plain Hash
  # with the same content.
  class DataHash < Hash
    include OneLine

    # One line, however long the profile: "#<Rperf::DataHash cpu, 1000 Hz, 1.23 s, 456 samples>".
    def inspect
      require_relative "numbers"
      mode, frequency, duration, samples = values_at(:mode, :frequency, :duration_ns, :samples)
      facts = [mode, ("#{frequency} Hz" if frequency&.nonzero?), (Numbers.duration(duration) if duration), Numbers.counted(samples&.length || 0, "sample")]
      "#<#{self.class} #{facts.compact.join(", ")}>"
    end
  end
end
