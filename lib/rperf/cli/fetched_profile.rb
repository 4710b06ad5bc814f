# frozen_string_literal: true

require_relative "../formats"
require_relative "../run_directory"
require_relative "subject"
require_relative "view"

module Rperf
  class CLI
    # A profile that another process sends, to be written to a file, or to be looked at.
    class FetchedProfile
      # What the process is asked for: everything that it knows.
      FORMAT = :json

      # values: those of the command's options. Fails when they make no sense, and raises
      #   Rperf::Error when the file cannot be written, before a process is asked.
      def initialize(values)
        @values = values
        @path = values[:output]
        @path ? OutputFile.new(@path).check! : @views = View.prepare("report", values)
      end

      # Takes its bytes; returns the exit status.
      def deliver(bytes)
        RunDirectory.open do |run|
          path = File.join(run.directory, "profile.json")
          File.binwrite(path, bytes)
          @path ? write(ProfileFile.new(path).profile) : View.show_in(@views, Subject.new([path], values: @values))
        end
      end

      private

      def write(profile)
        Formats.write(profile, @path, @values[:format])
        $stderr.puts("rperf: wrote #{@path}")
        0
      end
    end
  end
end
