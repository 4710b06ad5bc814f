# frozen_string_literal: true

require_relative "export_view"
require_relative "failure"
require_relative "flags"
require_relative "text_view"
require_relative "../profile_file"

module Rperf
  class CLI
    # Chooses how profiles are shown: by rperf itself, or by Go's pprof where that is asked for.
    module View
      # Options that name a view and take its argument.
      WITH_ARGUMENT = %i[by peek method source].freeze
      # Options whose value may be any text.
      WITH_TEXT = [*WITH_ARGUMENT, *Selection::FILTERS, :unit, :sample_type].freeze
      # Options of tables only.
      OF_TABLES = %i[nodecount nodefraction sort].freeze
      # Those that a view takes. Other views take none.
      TAKEN = {top: OF_TABLES, text: OF_TABLES, tree: OF_TABLES, peek: %i[sort], leaks: OF_TABLES - %i[sort]}.freeze

      class << self
        # Shows a Subject as the options of a command ("report" or "diff") ask for. Returns the
        # first exit status that is not 0, or 0.
        def show(command, values, subject) = show_in(prepare(command, values), subject)

        # Shows a Subject in prepared views. Returns the exit status as `show` does.
        def show_in(views, subject) = views.map { |view| view.show(subject) }.find(&:nonzero?) || 0

        # Raises Failure where the value of an option was forgotten, as in `--by profile.pb.gz`: the
        # option then has a file that is missing elsewhere.
        def refuse_files_as_values(values)
          flag = FLAGS.find { |one| WITH_TEXT.include?(one.key) && ProfileFile.profile?(values[one.key].to_s) } or return
          raise Failure.usage("option '#{flag.long}' needs a value before the file '#{values[flag.key]}': #{flag.long} #{flag.argument}")
        end

        # Returns the views that the options ask for. Raises Failure when an option makes no sense.
        def prepare(command, values)
          view = chosen(values)
          raise Failure.usage("--format json needs a view, such as --top") if values[:layout] == :json && !view
          return [pprof(command, view, values)] if values[:pprof]
          refuse_of_tables(values, view&.first)
          asked = []
          asked << text_or_export(view, values) if view
          asked << html_file(view, values) if values[:html]
          asked << served_page(values) if asked.empty? && !values[:fail_above]
          asked
        end

        private

        # The view that was asked for and its argument, or nil.
        def chosen(values)
          views = [*values[:view], *WITH_ARGUMENT.select { |key| values[key] }]
          if views.length > 1
            raise Failure.usage("one view at a time: #{views.map { |view| "--#{view}" }.join(" and ")} were given")
          end
          [views.first, values[views.first]] unless views.empty?
        end

        def refuse_of_tables(values, view)
          name = (OF_TABLES - TAKEN.fetch(view, [])).find { |option| values[option] } or return
          option = "--#{name}#{" (--cum)" if name == :sort}"
          raise Failure.usage("#{option} is for tables: add a view such as --top, or leave it out") if view.nil? || ExportView::FORMATS.include?(view)
          raise Failure.usage("#{option} has no effect on --#{view}: leave it out")
        end

        def text_or_export(view, values)
          ExportView::FORMATS.include?(view.first) ? ExportView.new(view.first, values) : TextView.new(view, values)
        end

        # Loads the page only where it is needed: its server and Ruby's parser take as long to load
        # as Ruby takes to start.
        def html_file(view, values)
          require_relative "html_file"
          HtmlFile.new(values[:html], values).tap { |file| file.refuse_beside(view.first) if view }
        end

        def served_page(values)
          require_relative "served_page"
          ServedPage.new(values)
        end

        def pprof(command, view, values)
          raise Failure.usage("--#{view.first} is not a view of Go's pprof: leave out --pprof") if ExportView::FORMATS.include?(view&.first)
          raise Failure.usage("--html writes rperf's own page: leave out --html or --pprof") if values[:html]
          require_relative "pprof"
          Pprof.new(command, view, values)
        end
      end
    end
  end
end
