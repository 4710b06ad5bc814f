# frozen_string_literal: true

require "cgi/escape"
require "digest"
require_relative "../numbers"
require_relative "../web/headers"

module Rperf
  class Viewer
    # The page that lists the snapshots. It has no script, and everything that is not from here is escaped.
    class List
      STYLE = <<~CSS
        :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
        body { max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
        td.number, th.number { text-align: right; white-space: nowrap }
        form { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .8rem; align-items: center }
      CSS
      # With the policy "no-referrer" browsers would hide from us that the form comes from this page.
      HEADERS = {
        **Web::Headers.html(style: "'sha256-#{Digest::SHA256.base64digest(STYLE)}'", forms: "'self'"),
        "referrer-policy" => "same-origin"
      }.freeze

      # snapshots: the newest first
      # root: the path where the viewer is mounted, without a slash at the end
      # running: whether a session runs
      def initialize(snapshots, root:, running:)
        @snapshots = snapshots
        @root = escape(root)
        @running = running
      end

      # The page, a String in UTF-8.
      def html
        <<~HTML
          <!doctype html>
          <html lang="en">
          <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>rperf snapshots</title><style>#{STYLE}</style></head>
          <body>
          <h1>Snapshots of process #{Process.pid}</h1>
          #{@running ? form : "<p>No session runs in this process; <code>Rperf.start</code> starts one.</p>"}
          #{@snapshots.empty? ? "<p>There is no snapshot yet.</p>" : table}
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
          <button>Take a snapshot</button>
          </form>
        HTML
      end

      def table
        <<~HTML
          <table>
          <tr><th>Snapshot</th><th>Taken</th><th>Mode</th><th class="number">Duration</th><th class="number">Samples</th><th>File</th></tr>
          #{@snapshots.map { |snapshot| row(snapshot) }.join}</table>
        HTML
      end

      def row(snapshot)
        link = "#{@root}/snapshots/#{snapshot.number}"
        cells = [
          "<td><a href=\"#{link}\">#{escape(snapshot.title)}</a></td>",
          "<td>#{snapshot.taken_at.strftime("%F %T %z")}</td>",
          "<td>#{escape(snapshot.mode)}</td>",
          "<td class=\"number\">#{Numbers.duration(snapshot.duration_ns)}</td>",
          "<td class=\"number\">#{Numbers.grouped(snapshot.sample_count)}</td>",
          "<td><a href=\"#{link}.pb.gz\">pprof</a></td>"
        ]
        "<tr>#{cells.join}</tr>\n"
      end

      def escape(text) = CGI.escapeHTML(text.to_s)
    end
    private_constant :List
  end
end
