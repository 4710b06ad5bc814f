# frozen_string_literal: true

require_relative "stat"

module Rperf
  class CLI
    # `rperf exec`: the summary of `rperf stat` with the tables of functions.
    class Exec < Stat
      private

      def tables? = true
    end
  end
end
