# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "failure"
require_relative "subject"

module Rperf
  class CLI
    # A profile in another format: to a file, or to stdout.
    class Export
      STDOUT = "-"

      # path:   the file, or "-" for stdout
      # format: the format by its name, or nil: by the name of the file
      def initialize(path, format: nil)
        if path == STDOUT && format.nil?
          raise Failure.usage("'-' has no name that tells the format: add --format (#{Formats.names.join(", ")})")
        end
        @path = path
        @format = Formats.for(path, format)
      end

      # Writes a Native::Profile. Returns the exit status.
      def write(profile)
        bytes = Formats.pack(profile.encode(@format), @path, @format)
        @path == STDOUT ? print(bytes) : OutputFile.new(@path).write(bytes)
        0
      end

      private

      def print(bytes)
        $stdout.binmode
        $stdout.write(bytes)
        $stdout.flush
      end
    end
  end
end
