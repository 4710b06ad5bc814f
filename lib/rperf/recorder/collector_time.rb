# frozen_string_literal: true

require_relative "cause"

module Rperf
  module Recorder
    # Sees when the collector takes long: in one collection, which no thread of Ruby can see while
    # it runs, or in several that follow each other.
    class CollectorTime
      # seconds: between two looks, of which there is one a second
      def initialize(seconds)
        @seconds = seconds
        @total = GC.total_time
      end

      # A Cause where it took so long since the last look.
      def look
        before, @total = @total, GC.total_time
        took = (@total - before) / 1e9
        Cause.new(:gc, format("the collector took %.2f s (gc: %s)", took, @seconds)) if took >= @seconds
      end
    end
  end
end
