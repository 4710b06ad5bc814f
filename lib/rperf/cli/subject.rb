# frozen_string_literal: true

require_relative "../profile_file"
require_relative "failure"
require_relative "progress"
require_relative "snapshots"

module Rperf
  class CLI
    # The profiles to show, merged if there are several, or their difference from a base. Files are
    # read once, when they are needed. With a base, functions are matched, and several files on a
    # side become their mean.
    class Subject
      attr_reader :paths, :base_paths

      # paths:  the files of the profile (of the target, where there is a base)
      # bases:  the files of the base; none where nothing is compared
      # values: the values of the command's options: normalise (whether the target is scaled to the
      #   base's total), idle (whether idle time counts), sample_type and waits (pairs of a method
      #   and its kind)
      # profiles: the profiles of the files, where they have been read already
      def initialize(paths, bases: [], values: {}, profiles: nil)
        @paths = paths.map { |word| ProfileFile.path(word) }
        @profiles = profiles
        @base_paths = bases.map { |word| ProfileFile.path(word) }
        @values = values
        @told = []
        refuse_stdin_twice
      end

      # Whether there is a base.
      def difference? = @base_paths.any?

      # Whether the target is scaled to the base's total.
      def normalise? = @values.fetch(:normalise, false)

      # The profile of the files; of the target's files where there is a base.
      def profile = difference? ? comparison.last : @profile ||= named(merged(profiles))

      # Returns a Subject for each mode of the files, in their order, since the files of a mode
      # become one profile. A difference returns itself alone.
      def of_modes
        return [self] if difference? || @paths.length == 1
        modes = @paths.zip(profiles).group_by { |_path, profile| profile.mode }.values
        modes.length == 1 ? [self] : modes.map { |files| Subject.new(files.map(&:first), values: @values, profiles: files.map(&:last)) }
      end

      # The base of its files; nil where there is none.
      def base = (comparison.first if difference?)

      # The profile for the comparison: scaled to the base's total where that was asked for.
      def target
        profile = self.profile # An error that it raises names the files.
        @target ||= normalise? ? complete { profile.normalised(base, @values.fetch(:idle, false)) } : profile
      end

      # Returns the title of the page. names: whether it has the file names without directories
      def title(names: false)
        base, target = [@base_paths, @paths].map { |paths| (names ? paths.map { |path| File.basename(path) } : paths).join(", ") }
        difference? ? "#{target} compared with #{base}" : target
      end

      # Raises an error if the files are several snapshots of what one process has in use, whose sum
      # shows leaks that are none.
      def refuse_snapshots
        problem = Snapshots.new(profiles).problem unless difference?
        raise Error, "--leaks needs one file of a process: #{problem}" if problem
      end

      # Runs the block, a report. An error names the files. The block may end the reports of
      # progress: see Progress#during.
      def complete(&) = naming(task, &)

      # Says on stderr which filters match nothing, each once.
      def tell_unmatched(options)
        (options - @told).each { |option| Error.complain("--#{option} matches nothing in #{quoted}") }
        @told |= options
      end

      # Says that the filters leave nothing of the target, but something of the base.
      def tell_gone
        Error.complain("the filters leave nothing of #{quoted}, so nothing grew, but something of #{quoted(@base_paths)}")
      end

      private

      def refuse_stdin_twice
        return unless [*@base_paths, *@paths].count(ProfileFile::STDIN) > 1
        raise Failure.usage("stdin can be read once, so '-' stands for one profile: write the others to files")
      end

      def comparison
        @comparison ||= begin
          bases, targets = [@base_paths, @paths].map { |paths| read(paths) }
          compared = complete { ProfileFile.compare(bases, targets) }
          tell_native([*bases, *targets].map(&:native?))
          compared
        end
      end

      # Says that only some of the files have native leaves.
      def tell_native(native)
        with, without = [*@base_paths, *@paths].zip(native).partition(&:last).map { |files| quoted(files.map(&:first)) }
        return if [with, without].any?(&:empty?)
        Error.complain("#{with} has native functions (--native), #{without} has none, so methods in C differ for that alone: " \
                       "record both sides alike")
      end

      def profiles = @profiles ||= read(@paths)

      def read(paths)
        paths.map do |path|
          Progress.new.during("reading '#{path}'") { ProfileFile.new(path).profile(sample_type: @values[:sample_type]) }
        end
      end

      def merged(profiles)
        return profiles.first if profiles.length == 1
        merged = naming("merge #{quoted}") { ProfileFile.merge(profiles) }
        problem = Snapshots.new(profiles).problem
        Error.complain("what is in use is added up: #{problem}") if problem
        merged
      end

      # The profile with the kinds of waits that --wait gives to methods.
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
