# frozen_string_literal: true

require "fileutils"
require_relative "../answer"
require_relative "../../formats"

module Rperf
  class Agent
    module Destinations
      # Files, one for each profile: `file:profiles/%t-%p.pb.gz`. The oldest of all that are called
      # so go, those of other processes, too.
      class Files
        # So many are kept.
        KEPT = 300
        # What a name has beside its letters: the time of the profile's end, the process, the mode.
        PLACES = {"%t" => ->(delivery) { Time.at(0, delivery.till, :nsec).utc.strftime("%Y%m%dT%H%M%S.%LZ") },
                  "%p" => ->(_delivery) { Process.pid.to_s }, "%m" => ->(delivery) { delivery.mode.to_s }}.freeze
        # What stands at a place.
        SHAPES = {"%t" => "\\d{8}T\\d{6}\\.\\d{3}Z", "%p" => "\\d+", "%m" => "[a-z]+"}.freeze

        attr_reader :name

        # pattern: a path with places; its ending says the format. Without a place for the mode,
        # that stands before the ending. Raises ArgumentError where every profile would have the
        # same name.
        def initialize(pattern, kept: KEPT)
          raise ArgumentError, "the agent's file '#{pattern}' needs %t, the time: each profile has a file of its own" unless pattern.include?("%t")
          @pattern = File.absolute_path(pattern)
          @format = Formats.for(@pattern, nil)
          @pattern = Formats.path_with(@pattern, "%m") unless pattern.include?("%m")
          # Of bytes: the directory may have names that are no text.
          @own = Regexp.new("\\A#{@pattern.split(/(%[tpm])/).map { |part| SHAPES.fetch(part) { Regexp.escape(part) } }.join}\\z".b)
          @name = "file:#{@pattern}"
          @kept = kept
        end

        # They wait for nothing.
        def spools? = false

        # Writes one. Returns an Answer.
        def deliver(delivery)
          path = @pattern.gsub(/%[tpm]/) { |place| PLACES.fetch(place).call(delivery) }
          FileUtils.mkdir_p(File.dirname(path))
          Formats.write(delivery.profile, path, @format)
          remove_old
          Answer.new(kind: :sent)
        rescue Error, SystemCallError => error
          Answer.new(kind: :rejected, text: error.message)
        end

        # Files have no credentials.
        def renewed? = false

        # They are closed already.
        def finish = nil

        private

        # Files of other names, which only look like these, stay. Another process may be faster.
        def remove_old
          all = Dir.glob(@pattern.gsub(/[\\*?\[{]/) { |char| "\\#{char}" }.gsub(/%[tpm]/, "*")).select { |path| @own.match?(path.b) }
          FileUtils.rm_f(all.sort_by { |path| File.mtime(path) }.first([all.length - @kept, 0].max))
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
