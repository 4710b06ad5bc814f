# frozen_string_literal: true

require_relative "../profile_file"
require_relative "progress"

module Rperf
  class CLI
    # What is looked at: profiles, merged if there are several, or how they differ from a base. Files are read once, when
    # they are needed.
    class Subject
      # What a "-" stands for where a file is read.
      STDIN = "/dev/stdin"

      attr_reader :paths, :base_path

      # paths:  the files of the profile (of the target, where there is a base)
      # base:   the file of the base, or nil
      # values: those of the command's options: normalise (whether the target counts as if it had the base's total) and
      #         sample_type
      def initialize(paths, base: nil, values: {})
        @paths = paths.map { |path| file(path) }
        @base_path = base && file(base)
        @values = values
        @told = []
      end

      # Whether there is a base.
      def difference? = !@base_path.nil?

      # Whether the target is scaled to the base's total.
      def normalise? = @values.fetch(:normalise, false)

      # The profile as it is in the files.
      def profile = @profile ||= read(@paths)

      # The base as it is in its file; nil where there is none.
      def base = @base ||= (read([@base_path]) if difference?)

      # The profile as it is compared: scaled where that was asked for.
      def target = @target ||= normalise? ? complete { profile.normalised(base) } : profile

      # What the page is called.
      def title = difference? ? "#{@paths.join(", ")} compared with #{@base_path}" : @paths.join(", ")

      # Runs a report; an error names the files. The block may end the word about progress: see Progress#during.
      def complete(&) = naming(task, &)

      # Says once which filters match nothing.
      def tell_unmatched(options)
        (options - @told).each { |option| $stderr.puts("rperf: --#{option} matches nothing in #{quoted}") }
        @told |= options
      end

      # Says that the filters leave something of the base only.
      def tell_gone
        $stderr.puts("rperf: the filters leave nothing of #{quoted}, so nothing grew, but something of '#{@base_path}'")
      end

      private

      def file(path) = path == "-" ? STDIN : path

      def read(paths)
        profiles = paths.map do |path|
          Progress.new.during("reading '#{path}'") { ProfileFile.new(path).profile(sample_type: @values[:sample_type]) }
        end
        return profiles.first if profiles.length == 1
        naming("merge #{quoted}") { ProfileFile.merge(profiles) }
      end

      def naming(task, &)
        Progress.new.during(task, &)
      rescue Error => error
        raise Error, "cannot #{task}: #{error.message}"
      end

      def task = difference? ? "compare '#{@base_path}' and #{quoted}" : "show #{quoted}"

      def quoted = @paths.map { |path| "'#{path}'" }.join(", ")
    end
  end
end
