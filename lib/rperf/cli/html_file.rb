# frozen_string_literal: true

require_relative "../output_file"
require_relative "../profile_file"
require_relative "selection"
require_relative "served_page"

module Rperf
  class CLI
    # The page as one file that needs neither rperf nor a network.
    class HtmlFile
      # path:   the file
      # values: the values of the command's options. Raises Failure when one makes no sense.
      def initialize(path, values)
        @selection = Selection.new(values)
        @path = path
        @output = OutputFile.new(path)
        refuse_links(values)
      end

      # Raises Failure where a view, given by its name, is printed to the same stream.
      def refuse_beside(view)
        return unless @output.stdout?
        raise Failure.usage("--html and --#{view} both write to stdout: name a file for the page, or leave out one of the two")
      end

      # Writes the page of a Subject. Returns the exit status.
      def show(subject)
        refuse_profile
        @output.check!
        @output.write(ServedPage.html(subject, @selection))
        Error.complain("wrote #{@path}: open it in a browser") unless @output.stream?
        0
      end

      private

      def refuse_links(values)
        link = %i[editor repository].find { |name| values[name] } or return
        raise Failure.usage("--#{link} is for the page that is served, and a file has no such links: leave out --#{link} or --html")
      end

      # Refuses `--html profile.pb.gz`, which is meant for `--html page.html profile.pb.gz`.
      def refuse_profile
        return unless ProfileFile.profile?(@output.path)
        raise Failure.usage("'#{@path}' holds a profile, which '--html #{@path}' would overwrite: name another file for the page")
      end
    end
  end
end
