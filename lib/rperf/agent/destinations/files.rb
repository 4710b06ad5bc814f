# frozen_string_literal: true

require "fileutils"
require_relative "../../absolute_path"
require_relative "../../dated_names"
require_relative "../answer"
require_relative "../../formats"
require_relative "../../output_file"

module Rperf
  class Agent
    module Destinations
      # Files, one for each profile: `file:profiles/%t-%p.pb.gz`. The oldest files with such names
      # are removed, including those of other processes.
      class Files
        # Number of files to keep.
        KEPT = 300
        # Values for the places of a name: the time of the profile's end, the process, the mode.
        PLACES = {"%t" => ->(till, _mode) { DatedNames.moment(Time.at(0, till, :nsec)) },
                  "%p" => ->(_till, _mode) { Process.pid.to_s }, "%m" => ->(_till, mode) { mode.to_s }}.freeze
        # Regular expressions for the values at the places. The first group is the time.
        SHAPES = {"%t" => "(\\d{8}T\\d{6}\\.\\d{3}Z)", "%p" => "\\d+", "%m" => "[a-z]+"}.freeze

        # A text that tells where the files are.
        attr_accessor :name

        # pattern: a path with places, whose ending says the format. A pattern without a place for
        # the mode gets one before the ending. Raises ArgumentError for a pattern without %t, since
        # every profile would have the same name.
        def initialize(pattern, kept: KEPT)
          raise ArgumentError, "the agent's file '#{pattern}' needs %t, the time: each profile has a file of its own" unless pattern.include?("%t")
          @pattern = AbsolutePath.of(pattern).b # As bytes: names may be no text.
          @format = Formats.for(@pattern, nil)
          @pattern = Formats.path_with(@pattern, "%m") unless pattern.include?("%m")
          @own = Regexp.new("\\A#{@pattern.split(/(%[tpm])/).map { |part| SHAPES.fetch(part) { Regexp.escape(part) } }.join("")}\\z")
          @name = UTF8.of_bytes("file:#{@pattern}")
          @kept = kept
        end

        # Whether a spool takes profiles for it. Files need none.
        def spools? = false

        # Writes a profile. Returns an Answer.
        def deliver(delivery)
          path = free_path(delivery.till, delivery.mode)
          FileUtils.mkdir_p(File.dirname(path)) unless OutputFile.kind(File.dirname(path)) == "directory"
          Formats.write(delivery.profile, path, @format)
          remove_old(Time.at(0, delivery.till, :nsec))
          Answer.new(kind: :sent)
        rescue Error => error
          Answer.new(kind: :rejected, text: UTF8.of_bytes(error.message))
        rescue SystemCallError => error
          Answer.new(kind: :rejected, text: UTF8.of_bytes("cannot write '#{path}': #{Error.reason(error)}"))
        end

        # Whether there are new credentials. Files have none.
        def renewed? = false

        # Does nothing: files are closed already.
        def finish = nil

        private

        # Returns a path where nothing is: processes of two containers may have the same number, and
        # then the later one takes the next millisecond.
        def free_path(till, mode)
          path = @pattern.gsub(/%[tpm]/) { |place| PLACES.fetch(place).call(till, mode) }
          OutputFile.kind(path) ? free_path(till + 1_000_000, mode) : path
        end

        # Removes the oldest files, by their names, which fit the whole pattern. Files themselves
        # are not looked at: that gives up the GVL, and in a program that computes this thread then
        # waits 0.1 s for it, for each file. Another process may be faster.
        def remove_old(now)
          own = directories.flat_map { |directory| Native.names_in(directory).map { |name| File.join(directory, name.b) } }
                           .filter_map { |path| [$1, path] if @own.match(path) }
          FileUtils.rm_f(DatedNames.by_age(own, now).first([own.length - @kept, 0].max).map(&:last))
        end

        # Directories that the pattern names.
        def directories = Dir.glob(File.dirname(@pattern).gsub(/[\\*?\[{]/) { |char| "\\#{char}" }.gsub(/%[tpm]/, "*")).map(&:b)
      end
    end
  end
end
