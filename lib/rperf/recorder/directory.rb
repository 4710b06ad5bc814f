# frozen_string_literal: true

require "fileutils"
require "time"
require_relative "../absolute_path"
require_relative "../dated_names"
require_relative "../formats"
require_relative "../private_directory"

module Rperf
  module Recorder
    # The directory of recordings, including those of other processes: a file for each mode of the
    # session. The oldest recordings are removed.
    class Directory
      NAME = /\A(?<recording>recording-(?<time>\d{8}T\d{6}\.\d{3}Z)-(?<pid>\d+)-(?<reason>[a-z]+))\./

      # keep: number of recordings to keep; ending: ending of the files
      # Raises Rperf::Error where the directory cannot be used.
      def initialize(path, keep:, ending:)
        FileUtils.mkdir_p(File.dirname(AbsolutePath.of(path)))
        @directory = PrivateDirectory.new(path, "the recorder's directory")
        @keep, @ending = keep, ending
      rescue SystemCallError => error
        raise Error, "the recorder's directory '#{path}' cannot be made: #{Error.reason(error)}"
      end

      # Writes a recording: the Native::Profile of each mode. Returns the names of its files. Raises
      # Rperf::Error.
      def put(profiles, cause, time)
        name = "recording-#{DatedNames.moment(time)}-#{Process.pid}-#{cause.kind}#{@ending}"
        names = Formats.paths(name, profiles.length > 1 ? profiles.map(&:mode) : nil)
        names.zip(profiles) { |file, profile| @directory.write(file, Formats.content(profile, file)) }
        remove_old(time)
        names
      rescue SystemCallError => error
        raise Error, "cannot write the recording '#{@directory.path(name)}': #{Error.reason(error)}"
      end

      # Lists the files, the oldest first: {name:, bytes:, time:, pid:, reason:} of each.
      def list
        files.filter_map do |name, match|
          {name:, bytes: File.size(@directory.path(name)), time: Time.strptime(match[:time], "%Y%m%dT%H%M%S.%L%z").utc.iso8601(3),
           pid: match[:pid].to_i, reason: match[:reason]}
        rescue Errno::ENOENT
          nil # Another process has removed it.
        end
      end

      # Returns the bytes of a file; nil where there is none of this name.
      def read(name)
        File.binread(@directory.path(name)) if files.key?(name)
      rescue SystemCallError
        nil
      end

      # The path of the directory.
      def to_s = @directory.path("")

      private

      # Files of recordings: {name => MatchData}.
      def files = @directory.names(NAME).to_h { |name| [name, NAME.match(name)] }

      def remove_old(now)
        recordings = files.group_by { |_name, match| match[:recording] }.map { |name, files| [files.first.last[:time], name, files.map(&:first)] }
        old = DatedNames.by_age(recordings, now).first([recordings.length - @keep, 0].max)
        FileUtils.rm_f(old.flat_map { |_time, _name, files| files.map { |file| @directory.path(file) } })
      end
    end
  end
end
