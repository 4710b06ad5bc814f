# frozen_string_literal: true

module Rperf
  module Web
    # Response headers (in lower case, as Rack wants them) for pages that show what a program did:
    # nothing else may frame, embed, read or keep them, and they may load nothing.
    module Headers
      # For every response.
      COMMON = {
        "cache-control" => "no-store",
        "cross-origin-opener-policy" => "same-origin",
        "cross-origin-resource-policy" => "same-origin",
        "referrer-policy" => "no-referrer",
        "x-content-type-options" => "nosniff",
        "x-frame-options" => "DENY"
      }.freeze

      # For a page with these sources of scripts and styles, and where its forms may lead.
      def self.html(script: "'none'", style: "'none'", forms: "'none'")
        policy = "default-src 'none'; script-src #{script}; style-src #{style}; form-action #{forms}; " \
                 "base-uri 'none'; frame-ancestors 'none'"
        {**COMMON, "content-type" => "text/html; charset=utf-8", "content-security-policy" => policy}
      end

      # For a Page. It brings a stricter policy of its own, which names its one script and style by
      # their hashes; both policies hold.
      PAGE = html(script: "'unsafe-inline'", style: "'unsafe-inline'").freeze

      # For a file to keep.
      def self.download(name)
        {**COMMON, "content-type" => "application/octet-stream", "content-disposition" => "attachment; filename=\"#{name}\""}
      end

      # For what programs read.
      JSON = {**COMMON, "content-type" => "application/json"}.freeze

      # For a sentence.
      TEXT = {**COMMON, "content-type" => "text/plain; charset=utf-8"}.freeze
    end
  end
end
