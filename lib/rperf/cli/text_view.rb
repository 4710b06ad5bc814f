# frozen_string_literal: true

require_relative "../profile_report"
require_relative "failure"
require_relative "selection"
require_relative "terminal"

module Rperf
  class CLI
    # The views that rperf prints itself, with colours and a pager on a terminal.
    class TextView
      # Options that the report takes unchanged.
      OPTIONS = [*Selection::OPTIONS, :nodecount, :nodefraction, :sort].freeze

      # view:   the name of the view and its argument, or nil where it takes none
      # values: the values of the command's options
      #
      # Raises Failure when an option makes no sense, before any file is read.
      def initialize(view, values, terminal: Terminal.new)
        name, argument = view
        @values = values
        @is_about_leaks = name == :leaks
        @terminal = terminal
        @layout = values.fetch(:layout, :text)
        shown_on = {colour: terminal.colour, columns: terminal.columns} if @layout == :text
        @report = ProfileReport.new(values.slice(*OPTIONS).merge(view: name, argument:, format: @layout, **shown_on))
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Prints the view of a Subject. Returns the exit status.
      def show(subject)
        subject.refuse_snapshots if @is_about_leaks
        profile, base = subject.target, subject.base
        @terminal.show(paged: @values.fetch(:pager, true) && @layout == :text) do |sheet|
          write(subject, profile, base, sheet)
        end
        0
      end

      private

      # Prints the report. Progress is reported until its first part is there.
      def write(subject, profile, base, sheet)
        subject.complete do |silence|
          @report.write(profile, base:) do |part, unmatched|
            silence.call
            subject.tell_unmatched(unmatched)
            sheet << part
          end
        end
      end
    end
  end
end
