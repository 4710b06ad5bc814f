# frozen_string_literal: true

module Rperf
  class CLI
    # `--fail-above PERCENT`: the exit status says whether something grew by more than that.
    class GrowthGate
      # Apart from 1 and 2, which say that rperf could not do what was asked.
      STATUS = 3

      # What the option takes.
      module Percentage
        TEXT = /\A\d+(?:\.\d+)?%?\z/

        module_function

        # The value that a text stands for.
        def parse(text) = TEXT.match?(text) ? text.to_f : text

        # The value, if it is allowed.
        def check(value, subject)
          return value if value.is_a?(Float)
          raise ArgumentError, "#{subject} must be a percentage, 0 or more, such as 5 or 0.5, not #{value.inspect}"
        end
      end

      # percent: of the base's total, a Float; nil lets everything pass
      def initialize(percent)
        @percent = percent
      end

      # Names what grew in a Subject with a base, a line each on stderr. Returns the exit status.
      def check(subject)
        return 0 unless @percent
        base, target = subject.base, subject.target
        grown = subject.complete { target.growth(base, @percent) }
        grown.each { |line| $stderr.puts("rperf: #{line}") }
        grown.empty? ? 0 : STATUS
      end
    end
  end
end
