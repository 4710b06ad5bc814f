# frozen_string_literal: true

require "cgi/escape"
require "digest"
require_relative "native"
require_relative "page/local"
require_relative "page/sources"
require_relative "utf8"

module Rperf
  # The page that shows a profile in a browser, as one HTML file: it loads nothing, sends nothing
  # and works from a disk.
  #
  # The contents of a profile (names, paths, labels, comments) are data to the page: they are shown
  # as text and cannot run. The page's policy (Content-Security-Policy) allows only rperf's own
  # script to run.
  class Page
    # Directory of the page's script, style and frame, which `npm run build` makes from page/.
    ASSETS = File.join(__dir__, "page")
    # Pattern of the placeholders in the template.
    PLACE = /\{\{(\w+)\}\}/

    # profile: a Native::Profile, see ProfileFile#profile
    # base: another one, from which the difference is shown (nil: none)
    # title: the name of the profile, such as the file's
    # normalise: whether a comparison begins with both scaled to the same total
    # idle: whether the page begins with the time in which threads waited for work
    # local: the Page::Local of a page that stays on this machine; nil for a page that others may
    #   get
    # beside: other Pages, of other modes, which a switch shows in place of this one
    def initialize(profile, base: nil, title: "rperf.data", normalise: false, idle: false, local: nil, beside: [])
      @profile = profile
      @base = base
      @title = title
      @normalise = normalise
      @idle = idle
      @local = local
      @beside = beside
    end

    # Returns the file's content, a String in UTF-8. Raises Rperf::Error with one sentence if the
    # two profiles measure different things.
    def html
      script = asset("page.js")
      style = asset("page.css")
      parts = { "title" => CGI.escapeHTML(title), "policy" => policy(script, style), "style" => style, "script" => script,
                "data" => data, "mode" => mode, "beside" => @beside.map { |page| page.element }.join("") }
      asset("page.html").gsub(PLACE) { parts.fetch($1) }
    end

    protected

    # Returns its data for a page that shows it beside others.
    def element = %(<script type="application/json" class="beside" data-mode="#{mode}">#{data}</script>\n)

    private

    def mode = CGI.escapeHTML(@profile.mode.to_s)

    def title = UTF8.of(@title.to_s)

    def data
      sources = Sources.new(@profile.hot_lines(@base), recorded: @profile.start_time_ns)
      @profile.page(@base, title, [@normalise, @idle], sources.to_a, @local&.to_a)
    end

    # Hashes name the only script and the only style that are allowed.
    def policy(script, style)
      "default-src 'none'; script-src '#{digest(script)}'; style-src '#{digest(style)}'; base-uri 'none'; form-action 'none'"
    end

    def digest(text) = "sha256-#{[Digest::SHA256.digest(text)].pack("m0")}"

    # (File.read would convert it to the program's default_internal.)
    def asset(name) = File.binread(File.join(ASSETS, name)).force_encoding(Encoding::UTF_8)
  end
end
