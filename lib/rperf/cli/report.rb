# frozen_string_literal: true

require_relative "commands"
require_relative "runner"
require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # `rperf report`: shows one profile, or several as one.
    class Report < Runner
      # Files that `rperf record` writes, for one mode or several, and the file of version 0.9.
      DEFAULT_FILES = COMMANDS.fetch("record").defaults.fetch(:output).then do |name|
        [name, *Formats.paths(name, Formats.modes), "rperf.json.gz"].freeze
      end

      # Shows the profile; returns the exit status.
      def call
        views = View.prepare("report", @values)
        View.show_in(views, Subject.new(@words.empty? ? [default_file] : @words, values: @values))
      end

      private

      # The newest of the default files that exist.
      def default_file
        DEFAULT_FILES.select { |name| File.exist?(name) }.max_by { |name| File.mtime(name) } || refuse
      end

      def refuse
        View.refuse_files_as_values(@values)
        raise Error, "cannot read '#{DEFAULT_FILES.first}': there is no such file; name one, or record a program first (rperf record COMMAND)"
      end
    end
  end
end
