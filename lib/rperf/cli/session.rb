# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "failure"

module Rperf
  class CLI
    # The private directory into which the profiled processes write (or profiles for Go's pprof): `rperf-UID-PID-XXXX` in
    # the temporary directory, with the number of the CLI's own process, so that a later run can tell what was left behind.
    class Session
      # Makes the directory, yields the session, removes the directory.
      def self.open
        remove_leftovers
        session = new(make_directory)
        yield session
      ensure
        remove(session.directory) if session
      end

      # First by its name: a process that still runs could write into it meanwhile.
      def self.remove(directory)
        renamed = "#{directory}.gone"
        File.rename(directory, renamed)
        FileUtils.rm_rf(renamed)
      rescue SystemCallError
        FileUtils.rm_rf(directory)
      end

      def self.make_directory
        Dir.mktmpdir(prefix(Process.pid)) # Mode 0700.
      rescue SystemCallError, ArgumentError => error
        reason = error.message.sub(/ @ \w+.*/, "")
        raise Failure, "cannot make a directory in '#{Dir.tmpdir}': #{reason}; set TMPDIR to a directory that you may write to"
      end

      def self.prefix(pid) = "rperf-#{Process.uid}-#{pid}-"

      # Directories of ours whose process is gone: it was killed, or the machine went down.
      def self.remove_leftovers
        Dir.glob(File.join(Dir.tmpdir, "#{prefix("*")}*")).each do |path|
          pid = File.basename(path)[/\Arperf-\d+-(\d+)-/, 1]
          remove(path) if pid && own_directory?(path) && gone?(pid.to_i)
        end
      rescue SystemCallError
        nil # Another rperf was faster, or the directory cannot be listed.
      end

      def self.own_directory?(path)
        stat = File.lstat(path)
        stat.directory? && stat.uid == Process.uid
      end

      # Whether there is no process of this number.
      def self.gone?(pid)
        Process.kill(0, pid)
        false
      rescue Errno::ESRCH
        true
      rescue SystemCallError
        false
      end

      private_class_method :remove, :make_directory, :prefix, :own_directory?

      attr_reader :directory

      def initialize(directory)
        @directory = directory
      end

      # The profiles that processes wrote: [[pid, path], ...] in the order of their numbers.
      def profiles
        Dir.glob(File.join(@directory, "*.json")).map { |path| [File.basename(path).to_i, path] }.sort
      end

      # What became of the processes that began: {pid => "began", "stopped", "failed: why" or "written", with what writing cost}.
      def marks
        Dir.glob(File.join(@directory, "*.mark")).to_h { |path| [File.basename(path).to_i, File.binread(path).force_encoding("UTF-8").scrub] }
      end

      # Why a Ruby ran unprofiled, or nil. The process said so itself already.
      def unsupported
        File.binread(File.join(@directory, "unsupported"))
      rescue Errno::ENOENT
        nil
      end
    end
  end
end
