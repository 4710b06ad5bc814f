# frozen_string_literal: true

require_relative "../formats"
require_relative "../output_file"
require_relative "../profile_file"
require_relative "selection"
require_relative "subject"
require_relative "view"
require_relative "written_file"

module Rperf
  class CLI
    # A profile that another process sends, to be written to a file or to be shown.
    class FetchedProfile
      # Format that the process is asked for. It holds everything that the process knows.
      FORMAT = :json
      # Name of the profile in titles and sentences.
      NAME = "profile.json"
      # Options that say how a profile is shown.
      LOOKING = [:view, *View::WITH_ARGUMENT, :html, *Selection::FILTERS, *View::OF_TABLES].freeze

      # values: the values of the command's options. Raises Failure when they make no sense, and
      # Rperf::Error when the file cannot be written, in both cases before a process is asked.
      def initialize(values)
        @values = values
        @path = values[:output]
        check
        @path ? OutputFile.new(@path).check! : @views = View.prepare("report", values)
      end

      # Writes or shows the profile that these bytes hold; returns the exit status.
      def deliver(bytes)
        profile = ProfileFile.new(NAME, content: bytes).profile(sample_type: @values[:sample_type])
        @path ? write(profile) : View.show_in(@views, Subject.new([NAME], values: @values, profiles: [profile]))
      end

      private

      def check
        raise Failure.no_file(:format) if @values[:format] && !@path
        name = LOOKING.find { |option| @values[option] } if @path
        return unless name
        name = @values[:view].first if name == :view
        raise Failure.usage("--output writes all of the profile, and --#{name} is for one that is looked at: leave out one of the two")
      end

      def write(profile)
        Formats.write(profile, @path, @values[:format], idle: @values.fetch(:idle, false))
        Error.complain(WrittenFile.new(@values).line(profile, @path))
        0
      end
    end
  end
end
