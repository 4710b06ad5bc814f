# frozen_string_literal: true

module Rperf
  class Page
    # Owners of the lines of a file that is not Ruby. A function owns the lines from its start to
    # its last line with samples.
    class Spans
      # See RubyScopes#of_function.
      def of_function(_label, start, lines) = [start, *lines].reject(&:zero?).minmax.then { |first, last| first..last }

      # See RubyScopes#include?.
      def include?(span, line) = span.cover?(line)
    end
  end
end
