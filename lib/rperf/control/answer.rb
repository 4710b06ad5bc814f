# frozen_string_literal: true

require_relative "../formats"
require_relative "../web/response"

module Rperf
  module Control
    # Answers that hold a profile.
    module Answer
      # Formats of plain text, which a browser shows. It saves binary formats as files.
      TEXTS = %i[text markdown collapsed dot callgrind].freeze
      JSON = %i[json speedscope firefox].freeze

      # Returns a Response with a Native::Profile in a format, given by its name.
      def self.profile(profile, format)
        if format == Formats::PAGE
          return Web::Response.new(200, Web::Headers::PAGE, Formats.content(profile, "process-#{Process.pid}.html"))
        end
        Web::Response.new(200, {**Web::Headers::COMMON, "content-type" => type(format)}, Formats.bytes(profile, format))
      end

      def self.type(format)
        return "text/plain; charset=utf-8" if TEXTS.include?(format)
        JSON.include?(format) ? "application/json" : "application/octet-stream"
      end
      private_class_method :type
    end
  end
end
