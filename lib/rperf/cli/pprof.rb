# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../formats"
require_relative "../profile_file"
require_relative "failure"

module Rperf
  class CLI
    # Hands profiles over to Go's pprof.
    class Pprof
      # What `go tool pprof` calls a view.
      VIEWS = {top: "-top", text: "-text"}.freeze
      BROWSER = "-http=localhost:0"

      # view: :top, :text or nil for the browser
      def initialize(view)
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
        raise Failure, "'rperf #{@view ? "report --#{@view}" : "report"}' needs Go's pprof, and there is no 'go': install Go " \
                       "(Debian: apt-get install golang-go; others: go.dev), or record a .txt file and read that"
      end

      # pprof reads its own format only: other profiles are converted.
      def readable(path, directory)
        file = ProfileFile.new(path)
        bytes = Formats.bytes(file.data, :pprof)
        File.join(directory, File.basename(path) + ".#{rand(1 << 32).to_s(36)}.pb.gz").tap { |copy| File.binwrite(copy, bytes) }
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
