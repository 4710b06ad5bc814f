# frozen_string_literal: true

require_relative "export"
require_relative "text_view"

module Rperf
  class CLI
    # The views of `rperf report` that are formats of other programs, on stdout, with the same filters as the others.
    class ExportView
      # The views, by the names of their formats.
      FORMATS = %i[dot callgrind collapsed speedscope firefox markdown].freeze

      # view: the name of the view; values: the values of the command's options
      def initialize(view, values)
        raise Failure.usage("--#{view} has a format of its own: leave out --format") if values[:layout]
        @format = view
        @values = values
      end

      # Writes profiles, merged if there are several. Returns the exit status.
      def show(paths)
        files = InputFiles.new(paths, sample_type: @values[:sample_type])
        profile, unmatched = filtered(files.profile)
        unmatched.each { |option| $stderr.puts("rperf: --#{option} matches nothing in #{files}") }
        Export.new(Export::STDOUT, format: @format).write(profile)
      end

      private

      def filtered(profile)
        profile.filter(@values.slice(*TextView::OPTIONS))
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end
    end
  end
end
