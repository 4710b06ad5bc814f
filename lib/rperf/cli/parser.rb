# frozen_string_literal: true

require_relative "commands"

module Rperf
  class CLI
    # Reads the options of one command, up to "--". Where the words are those of a program to run,
    # the first word that is no option ends the options, too.
    class Parser
      def initialize(command)
        @command = command
      end

      # Returns the values by key (with the command's defaults), and the words that are no options.
      def parse(words)
        @words = words.dup
        @values = @command.defaults.dup
        @given = {}
        files = []
        files << @words.shift while read_options && !@command.runs_program? && @words.any?
        check { Options.check_together(@values, given: @given) }
        [@values.key?(:mode) ? Options::Modes.fit(@values) : @values, files + @words]
      end

      private

      # Reads options up to a word that is no option. Returns false when "--" ended the options.
      def read_options
        while @words.first&.match?(/\A-./)
          return false unless read_option(@words.shift)
        end
        true
      end

      # Reads one option. Returns false at "--", which ends the options.
      def read_option(word)
        return false if word == "--"
        word.start_with?("--") ? read_long(word) : read_short(word)
        true
      end

      def read_long(word)
        name, equals, text = word.partition("=")
        flag = find(name) { |candidate| candidate.long == name }
        raise Failure.usage("option '#{name}' takes no value, but '#{text}' was given") if !flag.argument && !equals.empty?
        store(flag, name, equals.empty? ? nil : text)
      end

      # Reads short options: -v, -f 99, -f99, -pv.
      def read_short(word)
        name, rest = word[0, 2], word[2..]
        flag = find(name, word) { |candidate| candidate.short == name }
        return store(flag, name, rest.empty? ? nil : rest.delete_prefix("=")) if flag.argument
        store(flag, name, nil)
        read_short("-#{rest}") unless rest.empty?
      end

      # word: what begins with the name. Options of Go's pprof have one dash (-top).
      def find(name, word = name, &)
        @command.flags.find(&) || raise(Failure.usage(unknown(name, word)))
      end

      def unknown(name, word)
        long = word.start_with?("--") ? word : "-#{word}"
        nearest = Suggestion.clause(long, @command.flags.map(&:long)) if word.length > 2
        name = word unless nearest.to_s.empty?
        "unknown option '#{name}' for 'rperf #{@command.name}'#{nearest} ('rperf help #{@command.name}' lists them)"
      end

      def store(flag, written, text)
        return switch(flag) unless flag.argument
        text ||= @words.shift or raise Failure.usage("option '#{written}' needs a value: #{written} #{flag.argument}")
        value = check { flag.parse(text, written) }
        @given[flag.key] = @values[flag.key] = flag.many ? [*@values[flag.key], value] : value
      end

      # Sets a switch. Views are collected, so that two can be refused; else the last one counts.
      def switch(flag)
        @given[flag.key] = @values[flag.key] = flag.key == :view ? [*@values[:view], flag.value].uniq : flag.value
      end

      # Runs the block, whose ArgumentError becomes a Failure of the command line.
      def check
        yield
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end
    end
  end
end
