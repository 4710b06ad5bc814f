# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "failure"
require_relative "progress"
require_relative "subject"

module Rperf
  class CLI
    # Writes a profile in another format, to a file or to stdout.
    class Export
      STDOUT = "-"

      # path:   the file, or "-" for stdout
      # format: the name of the format; nil: the name of the file says the format
      # idle:   as in Formats.write
      def initialize(path, format: nil, idle: false)
        if path == STDOUT && format.nil?
          raise Failure.usage("'-' has no name that tells the format: add --format (#{Formats.names.join(", ")})")
        end
        @path = path
        @idle = idle
        @explicit = format
        @format = Formats.for(path, format)
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Writes a Native::Profile as the format shows it (see Formats.shown), otherwise like `write`.
      def write_unfiltered(profile)
        @format = Formats.for_profile(profile, @path, @explicit)
        write(Formats.shown(profile, @format))
      end

      # Writes a Native::Profile in parts, since the whole text may be longer than memory allows.
      # Returns the exit status.
      def write(profile)
        Progress.new.during(task) do |silence|
          fill do |out|
            Formats.each_part(profile, @path, @format, idle: @idle) do |part|
              silence.call if stdout?
              out.write(part)
            end
          end
        end
        0
      end

      private

      def stdout? = @path == STDOUT

      def task = stdout? ? "writing #{@format}" : "writing '#{@path}'"

      # Yields the stream that takes the parts.
      def fill(&)
        return OutputFile.new(@path).fill(&) unless stdout?
        $stdout.binmode
        yield $stdout
        $stdout.flush
      end
    end
  end
end
