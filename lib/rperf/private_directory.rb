# frozen_string_literal: true

require "fileutils"
require_relative "absolute_path"
require_relative "errors"

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

    # Writes a file that only this user can read. Raises SystemCallError.
    def write(name, bytes)
      beside = path(".#{name}.new")
      raise Errno::EFBIG if bytes.bytesize > Process.getrlimit(:FSIZE).first # Else SIGXFSZ ends the program.
      File.open(beside, File::WRONLY | File::CREAT | File::EXCL | File::NOFOLLOW, 0o600, binmode: true) do |file|
        file.sync = true # A child that is forked meanwhile would write what is in a buffer once more.
        file.write(bytes)
      end
      File.rename(beside, path(name))
    ensure
      FileUtils.rm_f(beside)
    end

    # Returns the sorted names of the whole files that match a pattern of Dir.glob.
    def names(pattern) = Dir.glob(pattern, base: @path).sort
  end
end
