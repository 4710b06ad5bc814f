# frozen_string_literal: true

require_relative "../profile_file"
require_relative "../profile_report"
require_relative "failure"
require_relative "progress"
require_relative "terminal"

module Rperf
  class CLI
    # The views that rperf prints itself, on a terminal with colours and a pager.
    class TextView
      # The options that the report takes as they are.
      OPTIONS = %i[focus ignore hide show tagfocus tagignore tagroot tagleaf unit nodecount nodefraction sort].freeze

      # view:   the name of the view and its argument, or nil where it takes none
      # values: the values of the command's options
      #
      # Fails when an option makes no sense, before any file is read.
      def initialize(view, values, terminal: Terminal.new)
        name, argument = view
        @values = values
        @terminal = terminal
        @layout = values.fetch(:layout, :text)
        colour = terminal.colour if @layout == :text
        @report = ProfileReport.new(values.slice(*OPTIONS).merge(view: name, argument:, format: @layout, colour:))
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Prints the view of profiles, merged if there are several, or of how they differ from `base`. Returns the exit
      # status.
      def show(paths, base: nil)
        base_profile = base && read([base])
        profile = read(paths)
        text, unmatched = complete(task(paths, base)) { @report.write(profile, base: base_profile) }
        unmatched.each { |option| $stderr.puts("rperf: --#{option} matches nothing in #{quoted(paths)}") }
        @terminal.show(text, paged: @values.fetch(:pager, true) && @layout == :text)
        0
      end

      private

      def read(paths)
        profiles = paths.map do |path|
          Progress.new.during("reading '#{path}'") { ProfileFile.new(path).profile(sample_type: @values[:sample_type]) }
        end
        return profiles.first if profiles.length == 1
        complete("merge #{quoted(paths)}") { ProfileFile.merge(profiles) }
      end

      def task(paths, base)
        base ? "compare '#{base}' and #{quoted(paths)}" : "show #{quoted(paths)}"
      end

      def quoted(paths) = paths.map { |path| "'#{path}'" }.join(", ")

      def complete(task, &)
        Progress.new.during(task, &)
      rescue Error => error
        raise Error, "cannot #{task}: #{error.message}"
      end
    end
  end
end
