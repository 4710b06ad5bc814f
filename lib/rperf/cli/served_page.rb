# frozen_string_literal: true

require_relative "browser"
require_relative "selection"
require_relative "../page"
require_relative "../web/page_server"

module Rperf
  class CLI
    # The page, served to the browsers of this machine until Ctrl-C.
    class ServedPage
      # The page of what a Selection leaves of a Subject, a String.
      def self.html(subject, selection)
        profile, base = selection.of(subject)
        subject.complete { Page.new(profile, base:, title: subject.title, normalise: subject.normalise?).html }
      end

      # values: those of the command's options; browser: whether to open one. Fails when a filter makes no sense.
      def initialize(values)
        @browser = values.fetch(:browser, true)
        @selection = Selection.new(values)
      end

      # Serves the page of a Subject. The address is all that goes to stdout. Returns the exit status.
      def show(subject)
        server = Web::PageServer.new(ServedPage.html(subject, @selection))
        trap("INT") { server.stop }
        $stderr.puts("rperf: showing '#{subject.title}' until Ctrl-C at")
        $stdout.puts(server.url)
        $stdout.flush
        Browser.new.open(server.url) if @browser
        server.run
        trap("INT", "IGNORE") # A second Ctrl-C must not meet a process that is about to end with 0.
        0
      end
    end
  end
end
