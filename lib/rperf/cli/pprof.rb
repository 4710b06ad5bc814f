# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../profile_file"
require_relative "failure"

module Rperf
  class CLI
    # Hands profiles over to Go's pprof.
    class Pprof
      # What `go tool pprof` calls a view.
      VIEWS = {top: "-top", text: "-text"}.freeze
      BROWSER = "-http=localhost:0"

      # command: "report" or "diff", as the user called it
      # view:    :top, :text or nil for the browser
      def initialize(command, view)
        @command = command
        @view = view
      end

      # Shows the profile, or its difference to the profile `base`. Returns pprof's exit status.
      def show(path, base: nil)
        need_go
        Dir.mktmpdir("rperf-view-") do |directory|
          files = [base, path].compact.map { |file| readable(file, directory) }
          arguments = files.length == 2 ? ["-diff_base=#{files.first}", files.last] : files
          run("tool", "pprof", @view ? VIEWS.fetch(@view) : BROWSER, *arguments)
        end
      end

      private

      def need_go
        return if system("go", "version", out: File::NULL, err: File::NULL)
        raise Failure, "'rperf #{@command}#{" --pprof" if @view}' needs Go's pprof, and there is no 'go': install Go (Debian: " \
                       "apt-get install golang-go; others: go.dev), or use --top or --text#{" alone" if @view}, which need nothing"
      end

      # pprof reads its own format only: other profiles are converted.
      def readable(path, directory)
        copy = File.join(directory, "#{Dir.children(directory).length}.pb.gz")
        File.binwrite(copy, ProfileFile.new(path).pprof)
        copy
      end

      # Ctrl-C is pprof's: it ends the browser's server.
      def run(*arguments)
        trap("INT") { nil }
        system("go", *arguments)
        $?.exitstatus || 1
      end
    end
  end
end
