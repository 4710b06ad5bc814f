# frozen_string_literal: true

require_relative "pprof"
require_relative "top"

module Rperf
  class CLI
    # Who shows profiles: rperf itself where it has the view, else Go's pprof.
    module View
      # For a command ("report" or "diff") and the values of its options.
      def self.for(command, values)
        return Pprof.new(command, values[:view]) if values[:pprof] || values[:view].nil?
        Top.new
      end
    end
  end
end
