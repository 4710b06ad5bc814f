# frozen_string_literal: true

require_relative "../version"
require_relative "commands"
require_relative "help/documents"
require_relative "help/plain_text"
require_relative "help/topics"
require_relative "terminal"
require_relative "../terminal_lines"

module Rperf
  class CLI
    # `rperf help [NAME]`: shows the commands and their options, or a document of the gem.
    class Help
      class << self
        # Returns the text that `rperf` shows without a command.
        def usage
          width = COMMANDS.values.map { |command| command.usage.length }.max
          commands = COMMANDS.values.map { |command| "  #{command.usage.ljust(width)}  #{command.summary}\n" }.join
          "Usage:\n#{commands}\nRun 'rperf help' for the full reference, 'rperf help COMMAND' for one command,\n'rperf help topics' for the documents.\n"
        end

        # Returns the reference of one command.
        def for(command)
          ["Usage: #{command.usage}\n", "#{sentence(command.summary)}\n", details(command), options(command)].compact.join("\n")
        end

        # Returns the whole reference.
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

      def initialize(_values, words, documents: Documents.new, terminal: Terminal.new)
        @words = words
        @documents = documents
        @terminal = terminal
      end

      # Prints the reference or a document; returns the exit status.
      def call
        raise Failure.usage("'rperf help' takes one command or topic, but #{@words.length} words were given") if @words.length > 1
        name = @words.first
        text = reference(name) || document(name) || raise(unknown(name))
        @terminal.show { |sheet| sheet << text }
        0
      end

      private

      # Returns the reference of one command, or the whole one; nil where there is no such command.
      def reference(name)
        text = name.nil? ? Help.full : (Help.for(COMMANDS.fetch(name)) if COMMANDS.key?(name))
        text && TerminalLines.filled(text, @terminal.columns)
      end

      def document(name)
        markdown = @documents.markdown(name.delete_suffix(".md"))
        markdown && PlainText.new(markdown, @terminal.columns).to_s
      end

      def unknown(name)
        nearest = Suggestion.clause(name, COMMANDS.keys + @documents.names)
        Failure.usage("unknown command or topic '#{name}'#{nearest} ('rperf help' lists the commands; topics: #{@documents.names.join(", ")})")
      end
    end
  end
end
