# frozen_string_literal: true

require_relative "export"
require_relative "selection"

module Rperf
  class CLI
    # The views of `rperf report` in formats of other programs. They are written to stdout, and have
    # the same filters as the other views.
    class ExportView
      # Names of the views, which are the names of their formats.
      FORMATS = %i[dot callgrind collapsed speedscope firefox markdown].freeze

      # view: the name of the view; values: the values of the command's options. Raises Failure when
      # an option makes no sense.
      def initialize(view, values)
        raise Failure.usage("--#{view} has a format of its own: leave out --format") if values[:layout]
        @selection = Selection.new(values)
        @export = Export.new(Export::STDOUT, format: view, idle: true)
        @fold = view == :markdown
      end

      # Writes the profile of a Subject. Returns the exit status.
      def show(subject) = @export.write(@selection.of(subject, fold: @fold).first)
    end
  end
end
