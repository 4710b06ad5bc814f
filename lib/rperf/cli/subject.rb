# frozen_string_literal: true

require_relative "../profile_file"
require_relative "progress"

module Rperf
  class CLI
    # What is looked at: profiles, merged if there are several, or how they differ from a base.
    # Files are read once, when they are needed. Where there is a base, functions are matched, and
    # several files on a side become their mean.
    class Subject
      attr_reader :paths, :base_paths

      # paths:  the files of the profile (of the target, where there is a base)
      # bases:  the files of the base; none where nothing is compared
      # values: those of the command's options: normalise (whether the target counts as if it had
      #   the base's total), sample_type and waits (pairs of a method and its kind)
      # profiles: those of the files, where they have been read
      def initialize(paths, bases: [], values: {}, profiles: nil)
        @paths = paths.map { |path| file(path) }
        @profiles = profiles
        @base_paths = bases.map { |path| file(path) }
        @values = values
        @told = []
      end

      # Whether there is a base.
      def difference? = @base_paths.any?

      # Whether the target is scaled to the base's total.
      def normalise? = @values.fetch(:normalise, false)

      # The profile that is in the files.
      def profile = difference? ? comparison.last : @profile ||= named(merged(profiles))

      # A Subject for each mode of the files, in their order: what is of one mode is one profile. Of
      # a difference itself.
      def of_modes
        return [self] if difference? || @paths.length == 1
        modes = @paths.zip(profiles).group_by { |_path, profile| profile.mode }.values
        modes.length == 1 ? [self] : modes.map { |files| Subject.new(files.map(&:first), values: @values, profiles: files.map(&:last)) }
      end

      # The base that is in its files; nil where there is none.
      def base = (comparison.first if difference?)

      # The profile as it is compared: scaled where that was asked for.
      def target
        profile = self.profile # An error that it raises names the files.
        @target ||= normalise? ? complete { profile.normalised(base) } : profile
      end

      # What the page is called; `names`: without the directories of the files.
      def title(names: false)
        base, target = [@base_paths, @paths].map { |paths| (names ? paths.map { |path| File.basename(path) } : paths).join(", ") }
        difference? ? "#{target} compared with #{base}" : target
      end

      # Runs a report; an error names the files. The block may end the word about progress: see
      # Progress#during.
      def complete(&) = naming(task, &)

      # Says once which filters match nothing.
      def tell_unmatched(options)
        (options - @told).each { |option| $stderr.puts("rperf: --#{option} matches nothing in #{quoted}") }
        @told |= options
      end

      # Says that the filters leave something of the base only.
      def tell_gone
        $stderr.puts("rperf: the filters leave nothing of #{quoted}, so nothing grew, but something of #{quoted(@base_paths)}")
      end

      private

      # Sentences have its name beside texts in UTF-8: a name in other bytes counts as that, too.
      def file(path) = path == "-" ? ProfileFile::STDIN : path.dup.force_encoding(Encoding::UTF_8)

      def comparison
        @comparison ||= begin
          bases, targets = [@base_paths, @paths].map { |paths| read(paths) }
          complete { ProfileFile.compare(bases, targets) }
        end
      end

      def profiles = @profiles ||= read(@paths)

      def read(paths)
        paths.map do |path|
          Progress.new.during("reading '#{path}'") { ProfileFile.new(path).profile(sample_type: @values[:sample_type]) }
        end
      end

      def merged(profiles)
        return profiles.first if profiles.length == 1
        naming("merge #{quoted}") { ProfileFile.merge(profiles) }
      end

      # With what waits in some methods are called.
      def named(profile) = @values.key?(:waits) ? profile.with_wait_kinds(@values[:waits].to_h) : profile

      def naming(task, &)
        Progress.new.during(task, &)
      rescue Error => error
        raise Error, "cannot #{task}: #{error.message}"
      end

      def task = difference? ? "compare #{quoted(@base_paths)} and #{quoted}" : "show #{quoted}"

      def quoted(paths = @paths) = paths.map { |path| "'#{path}'" }.join(", ")
    end
  end
end
