# frozen_string_literal: true

require_relative "native"

module Rperf
  # A file that holds a profile, to be read.
  class ProfileFile
    # Compressed profiles of the largest programs have some ten megabytes.
    MAX_BYTES = 1 << 30

    def initialize(path)
      @path = path
    end

    # The data Hash. Raises Rperf::Error with one sentence that names the file.
    def data
      Native.decode(bytes)
    rescue Error => error
      raise error if error.message.include?(@path.to_s)
      raise Error, "cannot read '#{@path}': #{error.message}"
    end

    # The content as it is.
    def bytes
      content = File.open(@path, "rb") { |file| file.read(MAX_BYTES + 1) } || ""
      return content if content.bytesize <= MAX_BYTES
      raise Error, "cannot read '#{@path}': it has more than #{MAX_BYTES >> 20} MB, more than any profile"
    rescue SystemCallError => error
      raise Error, "cannot read '#{@path}': #{reason(error)}"
    end

    private

    def reason(error)
      case error
      when Errno::ENOENT, Errno::ENOTDIR then "there is no such file"
      when Errno::EISDIR then "it is a directory"
      when Errno::EACCES, Errno::EPERM then "permission denied"
      else error.message.sub(/ @ \w+.*/, "")
      end
    end
  end
end
