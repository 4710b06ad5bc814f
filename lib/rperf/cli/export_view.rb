# frozen_string_literal: true

require_relative "export"
require_relative "selection"

module Rperf
  class CLI
    # The views of `rperf report` that are formats of other programs, on stdout, with the same
    # filters as the others.
    class ExportView
      # The views, by the names of their formats.
      FORMATS = %i[dot callgrind collapsed speedscope firefox markdown].freeze

      # view: the name of the view; values: those of the command's options. Fails when one makes no
      #   sense.
      def initialize(view, values)
        raise Failure.usage("--#{view} has a format of its own: leave out --format") if values[:layout]
        @selection = Selection.new(values)
        @export = Export.new(Export::STDOUT, format: view, idle: values.fetch(:idle, false))
      end

      # Writes the profile of a Subject. Returns the exit status.
      def show(subject) = @export.write(@selection.of(subject).first)
    end
  end
end
