# frozen_string_literal: true

require_relative "../profile_report"
require_relative "failure"
require_relative "selection"
require_relative "terminal"

module Rperf
  class CLI
    # The views that rperf prints itself, on a terminal with colours and a pager.
    class TextView
      # The options that the report takes as they are.
      OPTIONS = [*Selection::OPTIONS, :nodecount, :nodefraction, :sort].freeze

      # view:   the name of the view and its argument, or nil where it takes none
      # values: the values of the command's options
      #
      # Fails when an option makes no sense, before any file is read.
      def initialize(view, values, terminal: Terminal.new)
        name, argument = view
        @values = values
        @terminal = terminal
        @layout = values.fetch(:layout, :text)
        shown_on = {colour: terminal.colour, columns: terminal.columns} if @layout == :text
        @report = ProfileReport.new(values.slice(*OPTIONS).merge(view: name, argument:, format: @layout, **shown_on))
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Prints the view of a Subject. Returns the exit status.
      def show(subject)
        profile, base = subject.target, subject.base
        @terminal.show(paged: @values.fetch(:pager, true) && @layout == :text) do |sheet|
          write(subject, profile, base, sheet)
        end
        0
      end

      private

      # The user is told to wait until the first part is there.
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
