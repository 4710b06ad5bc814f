# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "../profile_file"
require_relative "failure"

module Rperf
  class CLI
    # Profiles in other formats: to a file, or to stdout.
    class Export
      # What `rperf report` writes to stdout, by the name of the format.
      VIEWS = %i[dot callgrind collapsed speedscope firefox markdown].freeze
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

      # Writes the profile of one file, or of several as one. Returns the exit status.
      def write(files)
        bytes = Formats.pack(ProfileFile.merged(files).encode(@format), @path, @format)
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
