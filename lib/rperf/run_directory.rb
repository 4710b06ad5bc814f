# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "errors"
require_relative "output_file"
require_relative "profile_file"

module Rperf
  # The private directory into which the profiled processes write (or profiles for Go's pprof are
  # written): `rperf-UID-PID-XXXX` in the temporary directory, with the number of the process that
  # made it, so that a later run can recognise leftovers. That process also locks it: the number has
  # no meaning in another container with the same temporary directory.
  class RunDirectory
    ADVICE = "set TMPDIR to a directory that you may write to"

    # PF_EXITING in the kernel's flags of a process, and SIGKILL in the set of its signals.
    EXITING = 0x4
    KILLED = 1 << 8

    # Makes the directory, yields the object, removes the directory.
    def self.open
      run = make
      yield run
    ensure
      run&.remove
    end

    # Makes the directory. Raises Rperf::Error if that is impossible.
    def self.make
      place = Dir.tmpdir # Ruby warns at each call if others may write to TMPDIR.
      remove_leftovers(place)
      new(make_directory(place))
    rescue ArgumentError => error # Where Ruby finds no directory for temporary files.
      raise Error, "cannot make a temporary directory: #{error.message}; #{ADVICE}"
    end

    # Removes a directory. It is renamed first, since a process that still runs could write into it.
    def self.remove(directory)
      renamed = "#{directory}.gone"
      File.rename(directory, renamed)
      FileUtils.rm_rf(renamed)
    rescue SystemCallError
      FileUtils.rm_rf(directory)
    end

    # Rewords the message about a file that cannot be written: the user has not named that file.
    def self.explain(message) = message.sub(/name a file (in a directory )?/, "set TMPDIR to a directory ")

    def self.make_directory(place)
      Dir.mktmpdir(prefix(Process.pid), place).tap { |path| File.chmod(0o700, path) if File.umask.anybits?(0o700) }
    rescue SystemCallError => error
      raise Error, "cannot make a directory in '#{place}': #{Error.reason(error)}; #{ADVICE}"
    end

    def self.prefix(pid) = "rperf-#{Process.uid}-#{pid}-"

    # Removes directories of this user whose process was killed or whose machine went down.
    def self.remove_leftovers(place)
      Dir.glob("#{prefix("*")}*", base: place).each do |name|
        path = File.join(place, name)
        pid = name[/\Arperf-\d+-(\d+)-/, 1]
        remove(path) if pid && own_directory?(path) && gone?(pid.to_i) && unlocked?(path)
      end
    rescue SystemCallError
      nil # Another rperf was faster, or the directory cannot be listed.
    end

    def self.own_directory?(path)
      stat = File.lstat(path)
      stat.directory? && stat.uid == Process.uid
    end

    def self.unlocked?(path) = File.open(path) { |directory| directory.flock(File::LOCK_EX | File::LOCK_NB) }

    # Returns whether no process with this number runs. One that has ended keeps its number, with
    # the state Z in proc(5), until its parent asks for its status; before that it ends (`flags`),
    # or is about to because of SIGKILL (`signal`).
    def self.gone?(pid)
      Process.kill(0, pid)
      fields = File.binread("/proc/#{pid}/stat")[/.*\) (.*)/m, 1].split(" ")
      fields[0] == "Z" || fields[6].to_i.anybits?(EXITING) || fields[28].to_i.anybits?(KILLED)
    rescue Errno::ESRCH
      true
    rescue SystemCallError
      false
    end

    private_class_method :make_directory, :prefix, :own_directory?, :unlocked?

    attr_reader :directory

    def initialize(directory)
      @directory = directory
      @lock = File.open(directory)
      @lock.flock(File::LOCK_EX | File::LOCK_NB)
    rescue SystemCallError
      nil # Not every file system has locks.
    end

    # Removes the directory and the files that processes left in it.
    def remove
      RunDirectory.remove(directory)
      @lock&.close
    end

    # Returns why processes could not write into the directory, or nil.
    def refusal
      return "'#{@directory}' has been removed, into which processes write their profiles until the command has ended" unless File.directory?(@directory)
      OutputFile.new(File.join(@directory, "attempt")).write_at_once("written")
      nil
    rescue Error => error
      RunDirectory.explain(error.message)
    end

    # Returns the profiles that processes wrote: [[pid, Native::Profile], ...] in the order of their
    # numbers. A damaged file, such as that of a process that was killed while it wrote, is none.
    def profiles = files("json").sort.filter_map { |pid, path| read(pid, path) }

    # Returns the last mark of each process that has begun: {pid => "began", "stopped", "failed:
    # why" or "written", with the cost of writing}.
    def marks = files("mark").to_h { |pid, path| [pid, File.binread(path).force_encoding("UTF-8").scrub] }

    # Waits until processes that become daemons have their marks (see
    # Destination::SessionDirectory#expect_daemon). One that was killed meanwhile never has a mark.
    def await_daemons(seconds: 5)
      deadline = now + seconds
      sleep 0.002 until files("daemon").empty? || now > deadline
    end

    # Returns why a Ruby ran unprofiled, or nil. The process has printed the reason already.
    def unsupported
      File.binread(File.join(@directory, "unsupported"))
    rescue Errno::ENOENT
      nil
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def read(pid, path)
      [pid, ProfileFile.new(path).profile]
    rescue Error
      nil
    end

    # Returns [[pid, path], ...]. (The directory's name may look like a pattern.)
    def files(kind) = Dir.glob("*.#{kind}", base: @directory).map { |name| [name.to_i, File.join(@directory, name)] }
  end
end
