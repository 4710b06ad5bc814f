# frozen_string_literal: true

module Rperf
  # A source file that a profile names, shown beside the weights of its lines.
  class SourceFile
    # Maximum size, far above any source file; it limits reading that a forged profile can cause.
    MAX_BYTES = 10 << 20

    # path:        as in the profile; a relative path is resolved in the working directory
    # recorded_at: when the profile was recorded, nanoseconds since 1970; 0 if unknown
    def initialize(path, recorded_at:)
      @path = path
      @recorded_at = recorded_at
    end

    # Returns [text, whether it has changed since], or a String: why the file cannot be shown.
    def read
      status = File.stat(@path)
      return "it is no regular file" unless status.file?
      return "it has more than #{MAX_BYTES >> 20} MB" if status.size > MAX_BYTES
      [File.binread(@path), changed?(status)]
    rescue Errno::ENOENT, Errno::ENOTDIR then "there is no such file here"
    rescue Errno::EACCES, Errno::EPERM then "permission denied"
    rescue SystemCallError, ArgumentError => error then error.message
    end

    private

    def changed?(status)
      @recorded_at.positive? && status.mtime.then { |time| time.to_i * 1_000_000_000 + time.nsec } > @recorded_at
    end
  end
end
