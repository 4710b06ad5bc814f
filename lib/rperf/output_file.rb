# frozen_string_literal: true

require_relative "absolute_path"
require_relative "errors"
require_relative "native"

module Rperf
  # A file that appears whole or not at all: it is written beside its place, then renamed. Devices,
  # pipes and sockets (/dev/stdout) are written to directly.
  class OutputFile
    # Path of the file that the process has open as stdout.
    STDOUT = "/dev/stdout"

    # Returns "file", "directory", "special", or nil if nothing is there; links are followed.
    # File.file? and similar methods give up the GVL, which at the end of a program costs a time
    # slice of each thread that still computes.
    def self.kind(path) = Native.file_kind(path).first

    # Raises Rperf::Error for the name of a directory, and for a relative path if the current
    # directory is gone.
    def initialize(path)
      given = String.try_convert(path) || path.to_path
      raise Error, "cannot write '#{given}': it is the name of a directory; name a file" if given.end_with?("/")
      @path = AbsolutePath.of(given) # A "~" is the shell's business, and a letter here.
      @file = @path.b # Ruby converts the name of a file to the encoding of the file system, but not bytes.
    rescue Errno::ENOENT
      raise Error, "cannot write '#{given}': the current directory has been removed; go to another one, or name the file by its whole path"
    end

    attr_reader :path

    # Writes the bytes. Raises Rperf::Error with one sentence if that fails.
    def write(bytes)
      explain_failure { direct? ? write_into { |out| out.write(bytes) } : check_written(Native.write_whole(beside, target, bytes)) }
      path
    end

    # Yields an IO for the content. Raises like `write`. If the block fails, the file is unchanged.
    def fill(&)
      explain_failure { direct? ? write_into(&) : replace_with(&) }
      path
    end

    # Writes a Native::Profile in a format, part by part: its content is never in memory as a whole.
    # Raises like `write`; `idle` as in Formats.write.
    #
    # at_end: whether the program has ended, and none of its other threads may run meanwhile
    #
    # A stream or a pipe gets the parts one by one, since its reader may delay them; a file is
    # written in a single step.
    def write_profile(profile, format, gzipped: false, idle: false, at_end: false)
      explain_failure do
        next write_into { |out| profile.encode(format, gzipped, idle) { |part| out.write(part) } } if direct?
        check_written(profile.write_whole(beside, target, format, gzipped, idle, at_end))
      end
      path
    end

    # Writes a file of rperf's own, in a place of its own, in a single step. At the end of a process
    # whose other threads are busy, each request for the GVL waits long, so this thread must not ask
    # for it repeatedly. Raises like `write`.
    def write_at_once(bytes)
      explain_failure { check_written(Native.write_whole("#{path}.tmp", path, bytes)) }
      path
    end

    # Raises Rperf::Error now if a write would fail later (except if the disk fills up meanwhile).
    def check!
      explain_failure do
        if stream?
          stream # Whatever its path is: it may be open for other users, or exist in no directory.
        elsif direct?
          check_writable
        else
          make_beside { check_name }
        end
      end
    end

    # Returns whether the path is a stream that the program has open, not a file.
    def stream? = !descriptor.nil?

    # Returns whether the path is such a stream, a device, a pipe or a socket: it is written to
    # directly, and no file can be put beside it.
    def special? = stream? || kind == "special"

    # Returns whether the path is the program's own stdout.
    def stdout? = descriptor == 1

    private

    # A directory is not written to, but must not be replaced either. Nor is a write-protected file.
    # The program's own streams may be redirected to files that have other content.
    def direct?
      raise Errno::EISDIR, @path if !stream? && kind == "directory"
      check_writable if !stream? && kind == "file"
      special?
    end

    def check_writable
      raise Errno::EACCES, @path unless File.writable?(@file)
    end

    # If /dev/stdout were opened anew, writing would start at the beginning of a redirected file.
    # The open stream continues after the program's output.
    def write_into(&)
      return File.open(@file, "wb", &) unless stream?
      out = stream
      out.flush
      yield out
      out.flush
    end

    # Returns the number of the stream, or nil.
    def descriptor
      case @path.b
      when STDOUT then 1
      when "/dev/stderr" then 2
      when %r{\A/(?:dev|proc/self)/fd/(\d{1,9})\z} then $1.to_i
      end
    end

    # Raises Errno::EBADF where the program has no such stream, or only for reading.
    def stream
      case number = descriptor
      when 1 then $stdout
      when 2 then $stderr
      else IO.for_fd(number, "wb", autoclose: false)
      end
    rescue ArgumentError, Errno::EINVAL # ArgumentError: it is one of Ruby's own.
      raise Errno::EBADF, @path
    end

    def replace_with
      make_beside do |file, beside|
        file.chmod(File.stat(target).mode) if kind # As Native.write_whole does.
        yield file
        file.close
        File.rename(beside, target)
      end
    end

    def kind = OutputFile.kind(@file)

    # Returns the path of the file to replace: the target of symbolic links, not a link.
    def target(path = @file)
      Native.file_kind(path).last ? File.realpath(path).b : path
    rescue Errno::ENOENT, Errno::ENOTDIR
      target(AbsolutePath.of(File.readlink(path), File.dirname(path)).b)
    end

    # Raises SystemCallError for a name that is too long: the name of the file beside it is shorter.
    def check_name
      File.lstat(target)
    rescue Errno::ENOENT
      nil # It will be made.
    end

    # number: the number of the system's error, or nil
    def check_written(number)
      raise SystemCallError.new(nil, number) if number
    end

    # Returns a name in the same directory that no other file has. (Random.rand would change the
    # random numbers that the program gets.)
    def beside
      directory, name = File.split(target)
      File.join(directory, ".#{name.byteslice(0, 100).force_encoding(Encoding::UTF_8).scrub("").b}.#{$$}.#{Random.new_seed.to_s(36)}.tmp")
    end

    def make_beside
      beside = self.beside
      # Not File::BINARY: with a default_internal (Rails sets one) Ruby would convert the bytes
      # nevertheless.
      File.open(beside, File::WRONLY | File::CREAT | File::EXCL, 0o666, binmode: true) { |file| yield file, beside }
    ensure
      remove_leftover(beside)
    end

    def remove_leftover(beside)
      File.unlink(beside) if beside
    rescue SystemCallError
      nil # Renamed, or never made.
    end

    def explain_failure
      yield
    rescue SystemCallError, IOError => error
      raise Error, "cannot write '#{@path}': #{reason(error)}"
    end

    def reason(error)
      case error
      when Errno::ENOENT, Errno::ENOTDIR then missing_directory
      when Errno::EISDIR then "it is a directory; name a file"
      when Errno::EACCES, Errno::EPERM
        return "it is write-protected; make it writable (chmod u+w), or name another file" if kind == "file" && !File.writable?(@file)
        "permission denied; name a file in a directory that you may write to"
      when Errno::EROFS then "the file system is read-only; name a file elsewhere"
      when Errno::ENOSPC, Errno::EDQUOT then "the disk is full; free some space, or name a file on another disk"
      when Errno::EFBIG then "it would be larger than this process may write; raise the limit (ulimit -f)"
      when Errno::EBADF then "no file is open there for writing; open it (3> FILE), or name a file"
      when Errno::EPIPE then "the reader closed the pipe"
      when Errno::ENAMETOOLONG then "the name is too long"
      else Error.reason(error)
      end
    end

    def missing_directory
      directory = File.dirname(target).force_encoding(@path.encoding)
      return "no file can be made there; name a file elsewhere" if File.directory?(directory.b) # /proc, say.
      return "'#{directory}' is no directory; name a file elsewhere" if File.exist?(directory.b)
      "the directory '#{directory}' does not exist; create it, or name a file elsewhere"
    end
  end
end
