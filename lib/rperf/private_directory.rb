# frozen_string_literal: true

require "fileutils"
require_relative "errors"

module Rperf
  # A directory of this user's, which is no link and open to no other: what others could have put
  # there is not used. Files appear whole.
  class PrivateDirectory
    # Permissions of other users.
    OTHERS = 0o077

    # What is wrong with a directory that is to be a user's own; nil: nothing.
    def self.flaw(path, uid = Process.euid)
      stat = File.lstat(path)
      return "it is no directory" unless stat.directory?
      return "it belongs to another user" unless stat.uid == uid
      "other users have rights there" if stat.mode.anybits?(OTHERS)
    rescue SystemCallError
      "it cannot be read"
    end

    # Makes it where it is missing. Returns what is wrong with it, or nil. Raises SystemCallError
    # where it cannot be made.
    def self.make(path)
      Dir.mkdir(path, 0o700)
      nil
    rescue Errno::EEXIST
      flaw(path)
    end

    # Makes it where it is missing. name: what it is, for the sentence. Raises Rperf::Error where it
    # cannot be used.
    def initialize(path, name)
      @path = File.absolute_path(path)
      flaw = PrivateDirectory.make(@path) or return
      raise Error, "#{name} '#{@path}' must be a directory of your own that others cannot read (mode 0700): #{flaw}"
    rescue SystemCallError => error
      raise Error, "#{name} '#{path}' cannot be used: #{Error.reason(error)}"
    end

    # The whole path of a file.
    def path(name) = File.join(@path, name)

    # Writes a file, which only this user can read. Raises SystemCallError.
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

    # The names of its whole files that match a pattern of Dir.glob, sorted.
    def names(pattern) = Dir.glob(pattern, base: @path).sort
  end
end
