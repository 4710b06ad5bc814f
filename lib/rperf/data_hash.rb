# frozen_string_literal: true

require_relative "numbers"
require_relative "one_line"

module Rperf
  # The data that Rperf.stop returns: a Hash that is shown in one line. It equals a plain Hash with
  # the same content.
  class DataHash < Hash
    include OneLine

    # Returns one line: "#<Rperf::DataHash cpu, 1000 Hz, 1.23 s, 456 samples>".
    def inspect
      mode, frequency, duration, samples = values_at(:mode, :frequency, :duration_ns, :samples)
      facts = [mode, ("#{frequency} Hz" if frequency&.nonzero?), (Numbers.duration(duration) if duration), Numbers.counted(samples&.length || 0, "sample")]
      "#<#{self.class} #{facts.compact.join(", ")}>"
    end
  end
end
