# frozen_string_literal: true

module Rperf
  # A source file that a profile names, to be shown beside the weights of its lines.
  class SourceFile
    # No file of source code comes near; bounds what a made-up profile can make us read.
    MAX_BYTES = 10 << 20

    # path:        as the profile has it; relative ones are looked for in the working directory
    # recorded_at: when the profile was recorded, nanoseconds since 1970; 0 when unknown
    def initialize(path, recorded_at:)
      @path = path
      @recorded_at = recorded_at
    end

    # [text, whether it was changed since], or a String that says why it cannot be shown.
    def read
      status = File.stat(@path)
      return "it is no regular file" unless status.file?
      return "it has more than #{MAX_BYTES >> 20} MiB" if status.size > MAX_BYTES
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
