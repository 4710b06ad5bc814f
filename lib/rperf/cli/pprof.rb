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

      # Shows a Subject. Returns pprof's exit status.
      def show(subject)
        need_go
        Dir.mktmpdir("rperf-view-") do |directory|
          files = subject.paths.map { |file| readable(file, directory) }
          run("tool", "pprof", @view ? VIEWS.fetch(@view) : BROWSER, *comparison(subject, files), files.last)
        end
      end

      private

      def need_go
        return if system("go", "version", out: File::NULL, err: File::NULL)
        raise Failure, "'rperf #{@command} --pprof' needs Go's pprof, and there is no 'go': install Go (Debian: " \
                       "apt-get install golang-go; others: go.dev), or leave out --pprof"
      end

      def comparison(subject, files)
        return [] unless subject.difference?
        [*("-normalize" if subject.normalise?), "-diff_base=#{files.first}"]
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
