# frozen_string_literal: true

require_relative "browser"
require_relative "selection"
require_relative "../formats"
require_relative "../page"
require_relative "../web/page_server"

module Rperf
  class CLI
    # The page, served to the browsers of this machine until Ctrl-C.
    class ServedPage
      # Returns the page of a Subject, filtered by a Selection, a String. Where the files are of
      # several modes, the page has a switch. The block is given the Subject of each mode, and
      # returns the argument `local` of its Page.
      def self.html(subject, selection, &local)
        first, *others = subject.of_modes
        beside = others.map { |other| page(other, selection, local&.call(other)) }
        page = page(first, selection, local&.call(first), beside:)
        subject.complete { page.html }
      end

      def self.page(subject, selection, local, beside: [])
        profile, base = selection.of(subject, fold: selection.active?)
        title = subject.title(names: local.nil?)
        Page.new(profile, base:, title:, normalise: subject.normalise?, idle: selection.idle?, local:, beside:)
      end
      private_class_method :page

      # values: the values of the command's options; browser: whether to open one. Raises Failure
      # when an option makes no sense.
      def initialize(values)
        @browser = values.fetch(:browser, true)
        @selection = Selection.new(values)
        @links = {editor: values[:editor] || ENV["RPERF_EDITOR"], repository: values[:repository] || ENV["RPERF_REPOSITORY"]}
        Page::Local.new(**@links)
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Serves the page of a Subject, and writes only its address to stdout. Returns the exit
      # status.
      def show(subject)
        downloads = {}
        html = ServedPage.html(subject, @selection) do |of_mode|
          own = downloads(of_mode, of_mode.equal?(subject) ? "profile" : of_mode.profile.mode.to_s)
          downloads.merge!(own)
          Page::Local.new(downloads: own.keys.map { |name| [name, File.basename(name, ".json.gz")] }, **@links)
        end
        server = Web::PageServer.new(html, downloads:)
        trap("INT") { server.stop }
        Error.complain("showing '#{subject.title}' until Ctrl-C at")
        $stdout.puts(server.url)
        $stdout.flush
        Browser.new.open(server.url) if @browser
        server.run
        trap("INT", "IGNORE") # A second Ctrl-C must not meet a process that is about to end with 0.
        0
      end

      private

      # Files to download from the page of a Subject, by name. A single profile is called `name`.
      def downloads(subject, name)
        names = subject.difference? ? %w[target base] : [name]
        names.zip(@selection.of(subject)).to_h do |name, profile|
          file = "#{name}.json.gz"
          [file, -> { Formats.content(profile, file) }]
        end
      end
    end
  end
end
