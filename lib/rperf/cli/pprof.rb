# frozen_string_literal: true

require_relative "../profile_file"
require_relative "failure"
require_relative "../run_directory"
require_relative "selection"

module Rperf
  class CLI
    # Passes profiles to Go's pprof.
    class Pprof
      # Options of `go tool pprof` for the views.
      VIEWS = {
        top: "-top", text: "-text", tree: "-tree", peek: "-peek", traces: "-traces", labels: "-tags", comments: "-comments"
      }.freeze
      BROWSER = "-http=localhost:0"

      # Options that pprof has by the same name.
      FILTERS = [*Selection::FILTERS - [:mine], :nodecount, :nodefraction, :unit].freeze

      # command: "report" or "diff", as the user called it
      # view:    the name of the view and its argument, or nil for the browser
      # values:  the values of the command's options
      def initialize(command, view, values)
        @command = command
        @view, @argument = view
        @values = values
        raise Failure.usage("Go's pprof has no view like --#{@view}: leave out --pprof") if @view && !VIEWS.key?(@view)
        raise Failure.usage("Go's pprof has no --mine: leave out --pprof") if values[:mine]
        raise Failure.usage("Go's pprof has no --wait: leave out --pprof or --wait") if values[:waits]
        raise Failure.usage("Go's pprof has no --idle, and leaves nothing out: leave out --pprof or --idle") if values[:idle]
        raise Failure.usage("Go's pprof writes no JSON: leave out --pprof") if values[:layout] == :json
      end

      # Shows a Subject. Returns pprof's exit status.
      def show(subject)
        need_go
        RunDirectory.open do |session|
          bases, files = [subject.base_paths, subject.paths].map { |paths| paths.map { |path| readable(path, session.directory) } }
          run("tool", "pprof", *view, *filters, *comparison(bases), *files)
        end
      end

      private

      def need_go
        return if system("go", "version", out: File::NULL, err: File::NULL)
        raise Failure, "'rperf #{@command} --pprof' needs Go's pprof, and there is no 'go': install Go (Debian: " \
                       "apt-get install golang-go; others: go.dev), or leave out --pprof"
      end

      def comparison(bases)
        bases.any? ? [*("-normalize" if @values[:normalise]), *bases.map { |base| "-diff_base=#{base}" }] : []
      end

      def view
        return [BROWSER, *("-no_browser" if @values[:browser] == false)] unless @view
        [[VIEWS.fetch(@view), @argument].compact.join("=")]
      end

      # The filters as pprof's options.
      def filters
        options = FILTERS.filter_map { |name| "-#{name}=#{@values[name]}" if @values[name] }
        options << "-sample_index=#{@values[:sample_type]}" if @values[:sample_type]
        options << "-cum" if @values[:sort] == :cum
        options
      end

      # Returns the path of a copy in pprof's format, which is the only one that pprof reads.
      def readable(path, directory)
        copy = File.join(directory, "#{Dir.children(directory).length}.pb.gz")
        File.binwrite(copy, ProfileFile.new(path).pprof)
        copy
      end

      # Runs pprof, which handles Ctrl-C itself: it ends the server for the browser.
      def run(*arguments)
        trap("INT") { nil }
        system("go", *arguments)
        $?.exitstatus || 1
      end
    end
  end
end
