# frozen_string_literal: true

require_relative "commands"
require_relative "help/topics"

module Rperf
  class CLI
    # `rperf help [command]`, from the table of commands and options.
    class Help
      class << self
        # What `rperf` alone shows.
        def usage
          width = COMMANDS.values.map { |command| command.usage.length }.max
          commands = COMMANDS.values.map { |command| "  #{command.usage.ljust(width)}  #{command.summary}\n" }.join
          "Usage:\n#{commands}\nRun 'rperf help' for the full reference, 'rperf help COMMAND' for one command.\n"
        end

        # The reference of one command.
        def for(command)
          ["Usage: #{command.usage}\n", "#{sentence(command.summary)}\n", details(command), options(command)].compact.join("\n")
        end

        # Everything.
        def full
          commands = COMMANDS.values.map { |command| "#{self.for(command)}\n" }.join("\n")
          "rperf #{VERSION}: where does a Ruby program spend its time?\n\n#{usage}\nCOMMANDS\n\n#{commands}\n#{TOPICS}"
        end

        private

        def sentence(text) = "#{text[0].upcase}#{text[1..]}."

        def details(command) = command.details && "#{command.details}\n"

        def options(command)
          return if command.flags.empty?
          width = command.flags.map { |flag| flag.signature.length }.max
          lines = command.flags.map do |flag|
            signature = flag.short ? flag.signature : "    #{flag.signature}"
            "  #{signature.ljust(width + 4)}  #{command.help_for(flag)}\n"
          end
          "Options:\n#{lines.join}"
        end
      end

      def initialize(_values, words)
        @words = words
      end

      # Prints the reference; returns the exit status.
      def call
        raise Failure.usage("'rperf help' takes one command, but #{@words.length} words were given") if @words.length > 1
        $stdout.puts(@words.empty? ? Help.full : Help.for(CLI.command(@words.first)))
        0
      end
    end
  end
end
