# frozen_string_literal: true

require "cgi/escape"
require "digest"
require_relative "../numbers"
require_relative "../web/headers"

module Rperf
  class Viewer
    # The page that lists the snapshots. It has no script, and all text from elsewhere is escaped.
    class List
      STYLE = <<~CSS
        :root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --line: #dfe3ea; --text: #1b1f27; --muted: #5d6675; --accent: #c2410c }
        @media (prefers-color-scheme: dark) {
          :root { --page: #0f1217; --card: #171b22; --line: #2a313d; --text: #e7ebf2; --muted: #98a2b3; --accent: #ff9a5c }
        }
        body { max-width: 68em; margin: 1.6em auto; padding: 0 1em; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
        h1 { font-size: 1.4em }
        a { color: inherit; text-decoration-color: var(--accent); text-underline-offset: 3px }
        a:hover { color: var(--accent) }
        form { display: flex; flex-wrap: wrap; gap: .6em 1em; align-items: center; margin: 1em 0 }
        input[name=title], button { font: inherit; color: inherit; padding: .25em .7em; background: var(--card); border: 1px solid var(--line); border-radius: 6px }
        button { border-color: var(--accent); cursor: pointer }
        table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); font-variant-numeric: tabular-nums }
        th, td { text-align: left; padding: .4em .8em; border-bottom: 1px solid var(--line) }
        th { color: var(--muted); font-weight: 500; font-size: .95em }
        td:first-child { overflow-wrap: anywhere }
        td + td { white-space: nowrap }
        .number { text-align: right }
        .note { color: var(--muted) }
        @media (width <= 600px) {
          tr:first-child { display: none }
          tr { display: flex; flex-wrap: wrap; gap: 0 .8em; padding: .5em .8em; border-bottom: 1px solid var(--line) }
          td { padding: 0; border: 0; color: var(--muted) }
          td:first-child { flex: 1 0 100%; color: var(--text); font-weight: 600 }
          td:nth-child(5)::after { content: " samples" }
        }
        @media (width >= 2800px) {
          body { font-size: 21px }
        }
      CSS
      COLLECTION = "<label><input type=\"checkbox\" name=\"gc\" value=\"1\"> collect garbage first: stops the program for one full collection</label>"
      private_constant :COLLECTION

      # With the policy "no-referrer", browsers would not tell the viewer that the form comes from
      # this page.
      HEADERS = {
        **Web::Headers.html(style: "'sha256-#{Digest::SHA256.base64digest(STYLE)}'", forms: "'self'"),
        "referrer-policy" => "same-origin"
      }.freeze

      # snapshots: the snapshots, the newest first
      # root: the path where the viewer is mounted, without a slash at the end
      # running: whether a session runs
      # heap: whether the session knows which objects are in use
      def initialize(snapshots, root:, running:, heap:)
        @snapshots = snapshots
        @root = escape(root)
        @running = running
        @heap = heap
      end

      # Returns the page, a String in UTF-8.
      def html
        <<~HTML
          <!doctype html>
          <html lang="en">
          <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>rperf snapshots</title><style>#{STYLE}</style></head>
          <body>
          <h1>Snapshots of process #{Process.pid}</h1>
          #{@running ? form : "<p class=\"note\">No session runs in this process; <code>Rperf.start</code> starts one.</p>"}
          #{comparison if comparable?}
          #{@snapshots.empty? ? "<p class=\"note\">There is no snapshot yet.</p>" : table}
          </body>
          </html>
        HTML
      end

      private

      def form
        <<~HTML
          <form method="post" action="#{@root}/snapshots">
          <label>Title <input name="title" maxlength="200"></label>
          <label><input type="checkbox" name="clear" value="1"> begin anew after it</label>
          #{COLLECTION if @heap}
          <button>Take a #{"heap " if @heap}snapshot</button>
          </form>
        HTML
      end

      def comparable? = @snapshots.length > 1

      # The form for comparisons. Its fields are in the rows of the table.
      def comparison
        <<~HTML
          <form id="difference" action="#{@root}/difference">
          <button>Show the difference</button> <span class="note">of the two snapshots chosen below</span>
          </form>
        HTML
      end

      def table
        <<~HTML
          <table>
          <tr><th>Snapshot</th><th>Taken</th><th>Mode</th><th class="number">Duration</th><th class="number">Samples</th><th>File</th>#{"<th>Difference</th>" if comparable?}</tr>
          #{@snapshots.map { |snapshot| row(snapshot) }.join("")}</table>
        HTML
      end

      def row(snapshot)
        link = "#{@root}/snapshots/#{snapshot.number}"
        cells = [
          "<td><a href=\"#{link}\">#{escape(snapshot.title)}</a></td>",
          "<td>#{snapshot.taken_at.strftime("%F %T %z")}</td>",
          "<td>#{escape(snapshot.mode)}</td>",
          "<td class=\"number\">#{Numbers.duration(snapshot.duration_ns)}</td>",
          "<td class=\"number\">#{Numbers.grouped(snapshot.tick_count)}</td>",
          "<td><a href=\"#{link}.pb.gz\">pprof</a></td>"
        ]
        cells << "<td>#{choice("base", "before", snapshot)} #{choice("target", "after", snapshot)}</td>" if comparable?
        "<tr>#{cells.join("")}</tr>\n"
      end

      # Returns the button that chooses a snapshot as one side of a difference.
      def choice(name, text, snapshot)
        chosen = suggested.fetch(name).equal?(snapshot)
        "<label><input type=\"radio\" form=\"difference\" name=\"#{name}\" value=\"#{snapshot.number}\"#{" checked" if chosen}> #{text}</label>"
      end

      # Returns the newest snapshot, and the latest earlier one of the same mode.
      def suggested
        target, *others = @snapshots
        {"base" => others.find { |other| other.mode == target.mode } || others.first, "target" => target}
      end

      def escape(text) = CGI.escapeHTML(text.to_s)
    end
    private_constant :List
  end
end
