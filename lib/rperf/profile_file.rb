# frozen_string_literal: true

require_relative "native"

module Rperf
  # A file that holds a profile, for reading.
  class ProfileFile
    # Maximum size. Compressed profiles of the largest programs have some ten megabytes.
    MAX_BYTES = 1 << 30

    # Number of bytes to read at a time. The first ones show whether the file can be a profile. Ruby
    # allocates the size that a read asks for.
    CHUNK = 1 << 20

    # Stdin, which is read from its current position. Opened anew, a file would begin at its
    # beginning, and a socket cannot be opened.
    STDIN = "/dev/stdin"

    # Returns the path that a word of a command line names, as UTF-8 whatever its bytes are:
    # sentences have it beside texts in UTF-8.
    def self.path(word) = word == "-" ? STDIN : word.dup.force_encoding(Encoding::UTF_8)

    # Merges several profiles (as `profile` returns them) into one. Raises Rperf::Error if they
    # measure different things.
    def self.merge(profiles) = Native::Profile.merge(profiles)

    # Returns the base and the target of a comparison, each made of several profiles: see
    # docs/reports.md. Raises like `merge`.
    def self.compare(bases, targets) = Native::Profile.compare(bases, targets)

    # Merges the parts of one recording into one profile for each mode, in the order of the first
    # parts. Raises like `merge`.
    def self.merge_recording(parts)
      of_modes = parts.group_by(&:mode).values
      of_modes.map { |of_mode| of_mode.length == 1 ? of_mode.first : Native::Profile.merge_parts(of_mode) }
    end

    # Returns whether a file of this name holds a profile.
    def self.profile?(path)
      return false unless File.file?(path)
      new(path).profile
      true
    rescue Error
      false
    end

    # content: the bytes of the file, where they have come another way; then `path` is only its name
    def initialize(path, content: nil)
      @path = path
      @content = content
    end

    # Returns the data Hash. Raises Rperf::Error with one sentence that names the file.
    def data = profile.to_h

    # Returns the native profile, with the values of a sample type (a name or a number from 0) or of
    # the default one. Raises like `data`.
    def profile(sample_type: nil) = naming_the_file { Native::Profile.read(bytes, sample_type) }

    # Returns the bytes for Go's pprof, converted unless it is a pprof file. Raises like `data`.
    def pprof = naming_the_file { Native.to_pprof(bytes) }

    private

    def naming_the_file
      yield
    rescue Error => error
      raise Error, "cannot read '#{@path}': #{error.message}"
    rescue SystemCallError => error
      raise Error, "cannot read '#{@path}': #{reason(error)}"
    end

    # Returns the content if it can be a profile: a device or a huge file of another kind is not
    # read to its end.
    def bytes
      return @content if @content
      return content_of($stdin.binmode) if @path == STDIN
      # NONBLOCK: opening must not wait for a process that may never write into a pipe.
      File.open(@path.b, File::RDONLY | File::BINARY | File::NONBLOCK) do |file| # As OutputFile has it.
        raise Error, "it is a pipe that no process writes into" if file.stat.pipe? && file.eof?
        content_of(file)
      end
    end

    def content_of(stream)
      raise Error, too_large if stream.stat.size > MAX_BYTES
      chunk = content = stream.read(CHUNK) || +""
      Native.check_beginning(content)
      while chunk.bytesize == CHUNK # A shorter one is the last: a terminal would wait for another end.
        content << (chunk = stream.read(CHUNK) || "")
        raise Error, too_large if content.bytesize > MAX_BYTES
      end
      content
    end

    def too_large = "it has more than #{MAX_BYTES >> 20} MB, more than any profile"

    def reason(error)
      case error
      when Errno::ENOENT, Errno::ENOTDIR then "there is no such file"
      when Errno::EISDIR then "it is a directory"
      when Errno::EACCES, Errno::EPERM then "permission denied"
      else Error.reason(error)
      end
    end
  end
end
