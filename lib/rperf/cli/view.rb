# frozen_string_literal: true

require_relative "failure"
require_relative "pprof"
require_relative "text_view"

module Rperf
  class CLI
    # Who shows profiles: rperf itself where it has the view, else Go's pprof.
    module View
      # Options that are a view and its argument.
      WITH_ARGUMENT = %i[peek method source].freeze

      module_function

      # For a command ("report" or "diff") and the values of its options.
      def for(command, values)
        view = chosen(values)
        return TextView.new(view, values) if view && !values[:pprof]
        raise Failure.usage("--format json needs a view, such as --top") if values[:layout] == :json && !view
        Pprof.new(command, view, values)
      end

      # The view and its argument, or nil for the browser.
      def chosen(values)
        views = [*values[:view], *WITH_ARGUMENT.select { |key| values[key] }]
        if views.length > 1
          raise Failure.usage("one view at a time: #{views.map { |view| "--#{view}" }.join(" and ")} were given")
        end
        [views.first, values[views.first]] unless views.empty?
      end
    end
  end
end
