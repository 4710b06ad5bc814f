# frozen_string_literal: true

require_relative "excerpt"

module Rperf
  class Page
    # The source lines that the page shows: an excerpt of each file that exists.
    #
    # A profile may come from anywhere and name any path. Only regular files that look like source
    # code are read.
    class Sources
      # Maximum number of lines of all files together, and of one file.
      MOST_LINES = 40_000
      MOST_LINES_OF_A_FILE = 4_000
      # Maximum bytes of a file: a larger one is generated, or no source.
      MOST_BYTES = 4 << 20
      # Maximum characters of a line; a longer one is cut.
      LONGEST_LINE = 500
      # Maximum number of files that the page names.
      MOST_FILES = 1_000

      OTHER_NAMES = /\.(?:erb|haml|slim|c|cc|cpp|h|hpp|rs|go|py|js|ts|java|zig)\z/

      # files: [[path, [[label, start_line, [line, ...]], ...]], ...], the most important first
      # recorded: when the profile was recorded, in nanoseconds since 1970 (0: not known)
      def initialize(files, recorded: 0)
        @files = files
        @recorded = recorded.zero? ? nil : Time.at(0, recorded, :nsec)
      end

      # Returns [[path, state, [[number, text], ...]], ...], see Native::Profile#page. States:
      # "read", "newer" (read, but the file was changed after the recording), "missing" (no such
      # file), "unread" (no source file, or not readable), "too much" (the limits above).
      def to_a
        left = MOST_LINES
        @files.first(MOST_FILES).map do |path, functions|
          state, excerpt = excerpt(path, functions, [left, MOST_LINES_OF_A_FILE].min)
          left -= excerpt.length
          [path, state, excerpt]
        end
      end

      private

      def excerpt(path, functions, room)
        return ["too much", []] if room.zero?
        state, text = read(path)
        lines = text ? Excerpt.new(path, text).pick(functions, room) : []
        [state, lines.map { |number, line| [number, line[0, LONGEST_LINE]] }]
      end

      # Returns the state, and the content if there is one to show. Only regular files are opened.
      def read(path)
        stat = File.stat(path)
        return "unread" unless stat.file?
        return "too much" if stat.size > MOST_BYTES
        content = File.binread(path, MOST_BYTES) || ""
        return "unread" unless source?(path, content)
        [@recorded && stat.mtime > @recorded ? "newer" : "read", content.force_encoding(Encoding::UTF_8).scrub]
      rescue Errno::ENOENT, Errno::ENOTDIR
        "missing"
      rescue SystemCallError, ArgumentError
        "unread"
      end

      def source?(path, content)
        !content.include?("\0") && (path.match?(OTHER_NAMES) || Excerpt.ruby?(path, content.b))
      end
    end
  end
end
