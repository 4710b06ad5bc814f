# frozen_string_literal: true

module Rperf
  module Web
    # Response headers (in lower case, as Rack wants them) for pages that show what a program did.
    # Nothing else may frame, embed, read or keep the pages, and they may load nothing.
    module Headers
      # Headers of every response.
      COMMON = {
        "cache-control" => "no-store",
        "cross-origin-opener-policy" => "same-origin",
        "cross-origin-resource-policy" => "same-origin",
        "referrer-policy" => "no-referrer",
        "x-content-type-options" => "nosniff",
        "x-frame-options" => "DENY"
      }.freeze

      # Returns headers of a page with these sources of scripts and styles, and targets of forms.
      def self.html(script: "'none'", style: "'none'", forms: "'none'")
        policy = "default-src 'none'; script-src #{script}; style-src #{style}; form-action #{forms}; " \
                 "base-uri 'none'; frame-ancestors 'none'"
        {**COMMON, "content-type" => "text/html; charset=utf-8", "content-security-policy" => policy}
      end

      # Headers of a Page. It has a stricter policy of its own, which names its one script and style
      # by their hashes; both policies hold.
      PAGE = html(script: "'unsafe-inline'", style: "'unsafe-inline'").freeze

      # Returns the headers of a file to download.
      def self.download(name)
        {**COMMON, "content-type" => "application/octet-stream", "content-disposition" => "attachment; filename=\"#{name}\""}
      end

      # Headers of data for programs.
      JSON = {**COMMON, "content-type" => "application/json"}.freeze

      # Headers of a sentence.
      TEXT = {**COMMON, "content-type" => "text/plain; charset=utf-8"}.freeze
    end
  end
end
