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
      def initialize(files)
        @files = files
      end

      # [[path, state, [[number, text], ...]], ...], see Native::Profile#page. States: "read", "missing" (no such file),
      # "unread" (no source file, or not readable), "too much" (the limits above).
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
        text = read(path)
        text.is_a?(String) ? ["read", pick(text.lines(chomp: true), lines, room)] : [text.to_s, []]
      end

      # The content, or why there is none.
      def read(path)
        stat = File.stat(path)
        return :unread unless stat.file?
        return :"too much" if stat.size > MOST_BYTES
        content = File.binread(path, MOST_BYTES) || ""
        source?(path, content) ? content.force_encoding(Encoding::UTF_8).scrub : :unread
      rescue Errno::ENOENT, Errno::ENOTDIR
        :missing
      rescue SystemCallError, ArgumentError
        :unread
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
    private_constant :Sources
  end
end
