# frozen_string_literal: true

require_relative "cause"

module Rperf
  module Recorder
    # Finds out when the collector takes long: in one collection, during which no Ruby thread can
    # look, or in several that follow each other.
    class CollectorTime
      # seconds: least time of the collector between two looks, of which there is one a second
      def initialize(seconds)
        @seconds = seconds
        @total = GC.total_time
      end

      # Returns a Cause where the collector took that time, or more, since the last look.
      def look
        before, @total = @total, GC.total_time
        took = (@total - before) / 1e9
        Cause.new(:gc, format("the collector took %.2f s (gc: %s)", took, @seconds)) if took >= @seconds
      end
    end
  end
end
