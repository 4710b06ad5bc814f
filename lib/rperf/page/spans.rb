# frozen_string_literal: true

module Rperf
  class Page
    # Whose lines those of a file are that is not Ruby: a function has those from its start to the
    # last one with samples.
    class Spans
      # See RubyScopes#of_function.
      def of_function(_label, start, lines) = [start, *lines].reject(&:zero?).minmax.then { |first, last| first..last }

      # See RubyScopes#include?.
      def include?(span, line) = span.cover?(line)
    end
  end
end
