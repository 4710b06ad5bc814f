# frozen_string_literal: true

require_relative "html_file"
require_relative "pprof"
require_relative "served_page"
require_relative "top"

module Rperf
  class CLI
    # Who shows profiles: rperf itself, or Go's pprof where that is asked for.
    module View
      # The views that the options of a command ("report" or "diff") ask for.
      def self.all(command, values)
        return [pprof(command, values)] if values[:pprof]
        asked = []
        asked << Top.new if values[:view]
        asked << HtmlFile.new(values[:html]) if values[:html]
        asked << ServedPage.new(browser: values.fetch(:browser, true)) if asked.empty? && !values[:fail_above]
        asked
      end

      def self.pprof(command, values)
        raise Failure.usage("--html writes rperf's own page: leave out --html or --pprof") if values[:html]
        Pprof.new(command, values[:view])
      end
      private_class_method :pprof

      # Shows a Subject in each of them. Returns the first exit status that is not 0.
      def self.show(command, values, subject)
        all(command, values).map { |view| view.show(subject) }.find(&:nonzero?) || 0
      end
    end
  end
end
