# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Accuracy
  module Cases
    # Short input and output: system calls of microseconds, most of them without the GVL.
    class ShortFiles < Case
      title "short file input and output"
      ruby_work :write_files, ns: 600_000, body: "(left / 1_000 + 1).times { File.write(@path, @content) }"
      ruby_work :read_files, ns: 400_000, body: "(left / 1_000 + 1).times { File.read(@path) }"
      ruby_work :ask_for_files, ns: 200_000, body: "(left / 1_000 + 1).times { File.stat(@path).size }"
      ruby_work :list_files, ns: 300_000, body: "(left / 1_000 + 1).times { Dir.children(@directory).size }"

      FILES = 20

      def initialize
        super
        @directory = Dir.mktmpdir("rperf-accuracy-files")
        at_exit { FileUtils.rm_rf(@directory) }
        @content = "a line of a small file\n" * 100
        FILES.times { |number| File.write(File.join(@directory, "file-#{number}"), @content) }
        @path = File.join(@directory, "file-0")
      end

      def turn
        write_files
        read_files
        ask_for_files
        list_files
      end
    end
  end
end
