# frozen_string_literal: true

require_relative "absolute_path"
require_relative "errors"
require_relative "native"

module Rperf
  # A directory that belongs to this user, is no link, and gives other users no access, so that
  # files of other users are never used. Files appear whole.
  class PrivateDirectory
    # Permission bits of other users.
    OTHERS = 0o077

    # Returns why a directory cannot be used as a private one, or nil if it can.
    def self.flaw(path, uid = Process.euid)
      stat = File.lstat(path)
      return "it is no directory" unless stat.directory?
      return "it belongs to another user" unless stat.uid == uid
      "other users have rights there" if stat.mode.anybits?(OTHERS)
    rescue SystemCallError
      "it cannot be read"
    end

    # Makes the directory if it is missing. Returns why it cannot be used, or nil. Raises
    # SystemCallError if it cannot be made.
    def self.make(path)
      Dir.mkdir(path, 0o700)
      File.chmod(0o700, path) if File.umask.anybits?(0o700) # Which keeps its own user from it.
      nil
    rescue Errno::EEXIST
      flaw(path)
    end

    # Makes the directory if it is missing. name: a description, for the message. Raises
    # Rperf::Error if the directory cannot be used.
    def initialize(path, name)
      @path = AbsolutePath.of(path)
      flaw = PrivateDirectory.make(@path) or return
      raise Error, "#{name} '#{@path}' must be a directory of your own that others cannot read (mode 0700): #{flaw}"
    rescue SystemCallError => error
      parent = File.dirname(@path || path)
      missing = "the directory '#{parent}' does not exist; create it, or name another one" if error.is_a?(Errno::ENOENT) && !File.directory?(parent)
      raise Error, "#{name} '#{path}' cannot be used: #{missing || Error.reason(error)}"
    end

    # Returns the whole path of a file.
    def path(name) = File.join(@path, name)

    # Writes a file that only this user can read. Raises SystemCallError. The GVL is given up
    # once, since this thread then waits for a time slice of each thread that computes.
    def write(name, bytes)
      number = Native.write_private(path(".#{name}.new"), path(name), bytes) or return
      raise SystemCallError.new(nil, number)
    end

    # Returns the sorted names of the whole files that match a regular expression. (Names that are
    # not ASCII are those of other programs.)
    def names(pattern) = Native.names_in(@path).select { |name| name.ascii_only? && pattern.match?(name) }.sort
  end
end
