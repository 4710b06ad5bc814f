# frozen_string_literal: true

require_relative "../absolute_path"
require_relative "../errors"
require_relative "../suggestion"
require_relative "modes"

module Rperf
  class Options
    # Kinds of values of settings. `parse` turns a text (command line, environment) into a value, or
    # returns the text if it makes no sense; `check` returns the value or raises ArgumentError.
    module Value
      # A whole number within a range; `unit` completes the sentence of the error.
      WholeNumber = Struct.new(:range, :unit, :optional) do
        # The value that a text stands for.
        def parse(text) = Integer(text, 10, exception: false) || text

        # The value, if it is allowed.
        def check(value, subject)
          return value if (value.nil? && optional) || (value.is_a?(Integer) && range.cover?(value))
          raise ArgumentError,
            "#{subject} must be a whole number from #{range.begin} to #{range.end} (#{unit}), not #{Error.shown(value)}"
        end
      end

      # Returns the given value, or the value that a text stands for, if it is allowed. Settings of
      # a program may come from its environment, as texts.
      def self.read(kind, value, subject) = kind.check(value.is_a?(String) ? kind.parse(value) : value, subject)

      # A number within a range, or nil where that is allowed; `meaning` completes the sentence.
      Number = Struct.new(:range, :meaning, :optional) do
        # The value that a text stands for.
        def parse(text) = Float(text, exception: false) || text

        # The value, if it is allowed.
        def check(value, subject)
          return value if (value.nil? && optional) || (value.is_a?(Numeric) && range.cover?(value))
          raise ArgumentError, "#{subject} must be a number from #{range.begin} to #{range.end} (#{meaning}), not #{Error.shown(value)}"
        end
      end

      # A share in percent.
      module Percentage
        TEXT = /\A\d+(?:\.\d+)?%?\z/

        module_function

        # The value that a text stands for.
        def parse(text) = TEXT.match?(text) ? text.to_f : text

        # The value, if it is allowed.
        def check(value, subject)
          return value if value.is_a?(Float)
          raise ArgumentError, "#{subject} must be a percentage, 0 or more, such as 5 or 0.5, not #{Error.shown(value)}"
        end
      end

      # One name of the list that the block returns, since the native part owns the list. `aliases`
      # are other words for some names.
      class Name
        def initialize(optional: false, aliases: {}, &names)
          @names = names
          @optional = optional
          @aliases = aliases.to_h { |word, name| [word.to_s, name.to_s] }
        end

        # The value that a text stands for.
        def parse(text) = text

        # The value, if it is allowed.
        def check(value, subject)
          return if value.nil? && @optional
          # Compares texts, since not every text can be a Symbol.
          word = value.to_s if value.is_a?(Symbol) || value.is_a?(String)
          found = @names.call.find { |name| name.to_s == @aliases.fetch(word, word) }
          found&.to_sym || raise(ArgumentError, complaint(value, word, subject))
        end

        private

        def complaint(value, word, subject)
          allowed = @names.call.map(&:to_s)
          shown = value.is_a?(String) ? "'#{Error.short(value)}'" : Error.shown(value)
          "#{subject} must be #{Value.either(allowed)}, not #{shown}#{Suggestion.clause(word, allowed)}"
        end
      end

      # A mode, or an Array of modes that sample time and one that samples objects; a text has
      # commas between them. "both" stands for the modes that sample time.
      ModeChoice = Struct.new(:mode) do
        # The value that a text stands for.
        def parse(text) = text.include?(",") ? text.split(",", -1).map(&:strip) : text

        # The value, if it is allowed.
        def check(value, subject)
          is_list = value.is_a?(Array)
          raise ArgumentError, "#{subject} must be an Array for several modes, such as [:cpu, :alloc], not #{Error.shown(value)}" if value.is_a?(String) && value.b.include?(",")
          modes = (is_list ? value : [value]).flat_map { |name| one(name, subject) }
          return modes.first if modes.length == 1
          return modes.freeze if Modes.together?(modes)
          shown = subject.end_with?(":") ? Error.shown(value) : "'#{Error.short(value.join(","))}'"
          raise ArgumentError, "#{subject} must be one mode, or several: #{Value.either(Modes::TIMED)} or both, and " \
            "#{Value.either(Modes::OBJECTS.keys)}, not #{shown}"
        end

        private

        def one(name, subject)
          name = mode.check(name, subject)
          name == :both ? Modes::TIMED : name
        end
      end

      # true or false.
      module Truth
        TEXTS = {
          "1" => true, "true" => true, "yes" => true, "on" => true,
          "0" => false, "false" => false, "no" => false, "off" => false
        }.freeze

        module_function

        # The value that a text stands for.
        def parse(text) = TEXTS.fetch(text.scrub.downcase, text)

        # The value, if it is allowed.
        def check(value, subject)
          return value if [true, false].include?(value)
          raise ArgumentError, "#{subject} must be true or false#{Value.words(subject, "1 or 0")}, not #{Error.shown(value)}"
        end
      end

      # Child processes that are profiled, too: true (all), :fork (those that are forked) or false
      # (none).
      module Inheritance
        module_function

        # The value that a text stands for.
        def parse(text) = Truth.parse(text)

        # The value, if it is allowed.
        def check(value, subject)
          return value if [true, false, :fork].include?(value)
          return Truth.check(value, subject) if value.is_a?(String) && !subject.end_with?(":") # No text stands for :fork.
          raise ArgumentError, "#{subject} must be true, :fork or false, not #{Error.shown(value)}"
        end
      end

      # The path of a file, or nil.
      module Path
        # Name of stdout on a command line. Elsewhere it is refused.
        STDOUT = "-"

        module_function

        # The value that a text stands for.
        def parse(text) = text

        # The value, if it is allowed.
        def check(value, subject)
          return if value.nil?
          path = String.try_convert(value) || (value.to_path if value.respond_to?(:to_path) && !pathless?(value))
          raise ArgumentError, own_stdout(subject) if path == STDOUT
          return path.dup.freeze if path.is_a?(String) && !path.empty? && !path.b.include?("\0")
          raise ArgumentError, "#{subject} must be the path of a file, not #{Error.shown(value)}"
        end

        # Returns the absolute path, since a daemon goes on in another directory. Raises
        # ArgumentError where there is none.
        def absolute(path, subject)
          AbsolutePath.of(path)
        rescue SystemCallError
          raise ArgumentError, "#{subject} is '#{path}', but the directory of the process is gone: give the whole path"
        end

        # Whether it is a stream and no file: Ruby gives it a name such as "<STDOUT>", not a path.
        def pathless?(value) = value.is_a?(IO) && !value.is_a?(File)
        private_class_method :pathless?

        # Sentence about "-": a process cannot keep its profile apart from the program's output.
        def own_stdout(subject)
          "#{subject} must be the path of a file, not \"-\": stdout is the program's own; " \
            "`rperf record -o -` keeps the two apart"
        end
        private_class_method :own_stdout
      end

      # A text that is only shown, or nil.
      module Text
        module_function

        # The value that a text stands for.
        def parse(text) = text
        # The value, if it is allowed.
        def check(value, _subject) = value
      end

      # The signal of the native probe: nil (rperf chooses), false (none: samples at safepoints
      # only) or the number of a real-time signal.
      module TimerSignal
        # Signals that a program may use. glibc keeps 32 and 33 for its threads, and the kernel's
        # last signal is 64 (signal(7)).
        REAL_TIME = (34..64)

        module_function

        # The value that a text stands for.
        def parse(text)
          return false if %w[0 none false no off].include?(text.downcase)
          Integer(text, 10, exception: false) || text
        end

        # The value, if it is allowed.
        def check(value, subject)
          return value if [nil, false].include?(value)
          return linux_only(value, subject) if value.is_a?(Integer) && REAL_TIME.cover?(value)
          raise ArgumentError, complaint(value, subject)
        end

        # Returns the value on Linux. Elsewhere there is no signal to choose.
        def linux_only(value, subject)
          return value if RUBY_PLATFORM.include?("linux")
          raise ArgumentError, "#{subject} can name a signal on Linux only; leave it out here, or use false"
        end

        # Sentence for a value that is not allowed.
        def complaint(value, subject)
          "#{subject} must be a real-time signal from #{REAL_TIME.begin} to #{REAL_TIME.end}, " \
            "or false#{Value.words(subject, "none")} for samples at safepoints only, not #{Error.shown(value)}"
        end
      end

      # Returns the words for the value where settings are texts. Keywords ("lines:") take the value
      # itself.
      def self.words(subject, words) = subject.end_with?(":") ? "" : " (#{words})"

      # Joins words: "a, b or c".
      def self.either(words)
        words.length < 2 ? words.join("") : "#{words[0..-2].join(", ")} or #{words.last}"
      end
    end
  end
end
