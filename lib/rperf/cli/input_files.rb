# frozen_string_literal: true

require_relative "../profile_file"
require_relative "progress"

module Rperf
  class CLI
    # The profiles that a command line names, as one.
    class InputFiles
      # sample_type: which values of a profile that has several (a name or a number from 0), or nil for the default ones
      def initialize(paths, sample_type: nil)
        @paths = paths
        @sample_type = sample_type
      end

      # The profile, merged if there are several. Raises Rperf::Error with one sentence.
      def profile
        profiles = @paths.map do |path|
          Progress.new.during("reading '#{path}'") { ProfileFile.new(path).profile(sample_type: @sample_type) }
        end
        profiles.length == 1 ? profiles.first : merge(profiles)
      end

      # As messages have them: 'a', 'b'
      def to_s = @paths.map { |path| "'#{path}'" }.join(", ")

      private

      def merge(profiles)
        Progress.new.during("merge #{self}") { ProfileFile.merge(profiles) }
      rescue Error => error
        raise Error, "cannot merge #{self}: #{error.message}"
      end
    end
  end
end
