# frozen_string_literal: true

module Rperf
  class Page
    # The source lines that the page shows: those near lines with samples, of files that are there.
    #
    # A profile may come from anywhere and name any path: only regular files that look like source code are read.
    class Sources
      # Lines before and after each line with samples.
      AROUND = 12
      # Lines of all files together, and of one file.
      MOST_LINES = 40_000
      MOST_LINES_OF_A_FILE = 4_000
      # Files with more bytes are generated, or no source.
      MOST_BYTES = 4 << 20
      # A longer line is cut.
      LONGEST_LINE = 500
      # Files that are named in the page at all.
      MOST_FILES = 1_000

      SOURCE_NAMES = /(?:\.(?:rb|ru|rake|gemspec|erb|haml|slim|builder|jbuilder|thor|c|cc|cpp|h|hpp|rs|go|py|js|ts|java|zig)
                       |\A(?:Rake|Gem)file)\z/x
      RUBY_SCRIPT = /\A#!.*\bruby/

      # files: [[path, [line, ...]], ...], what matters most first
      # recorded: when the profile was recorded, in nanoseconds since 1970 (0: not known)
      def initialize(files, recorded: 0)
        @files = files
        @recorded = recorded.zero? ? nil : Time.at(0, recorded, :nsec)
      end

      # [[path, state, [[number, text], ...]], ...], see Native::Profile#page. States: "read", "newer" (the same, but the
      # file was changed after the recording), "missing" (no such file), "unread" (no source file, or not readable),
      # "too much" (the limits above).
      def to_a
        left = MOST_LINES
        @files.first(MOST_FILES).map do |path, lines|
          state, excerpt = excerpt(path, lines, [left, MOST_LINES_OF_A_FILE].min)
          left -= excerpt.length
          [path, state, excerpt]
        end
      end

      private

      def excerpt(path, lines, room)
        return ["too much", []] if room.zero?
        state, text = read(path)
        [state, text ? pick(text.lines(chomp: true), lines, room) : []]
      end

      # The state, and the content if there is one to show. Only what is a regular file is opened.
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
        !content.include?("\0") && (File.basename(path).match?(SOURCE_NAMES) || content.b.match?(RUBY_SCRIPT))
      end

      # The lines around those that matter most, as many as there is room for, in order.
      def pick(text, lines, room)
        chosen = {}
        lines.each do |line|
          near = ([line - AROUND, 1].max..[line + AROUND, text.length].min).reject { |number| chosen[number] }
          near.first(room - chosen.length).each { |number| chosen[number] = true }
          break if chosen.length >= room
        end
        chosen.keys.sort.map { |number| [number, text[number - 1][0, LONGEST_LINE]] }
      end
    end
  end
end
