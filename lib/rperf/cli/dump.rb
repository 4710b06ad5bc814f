# frozen_string_literal: true

require_relative "../terminal_lines"
require_relative "remote"
require_relative "terminal"

module Rperf
  class CLI
    # `rperf dump`: shows the stacks of a process's threads, and the age of their units of work.
    class Dump < Remote
      # Prints the stacks of the threads; returns the exit status.
      def call
        text = client.request("GET", "/debug/pprof/threads", {debug: 1}).force_encoding(Encoding::UTF_8)
        columns = Terminal.new.columns
        $stdout.write(columns ? text.gsub(/.+/) { |line| fitting(line, columns) } : text)
        0
      end

      private

      # Cuts a line that is longer than the terminal. A frame loses the beginning of its path, the
      # heading of a thread the end of the name before its state or the age of its unit of work.
      def fitting(line, columns)
        return line if line.length <= columns
        return "  #{TerminalLines::CUT}#{line[(3 - columns)..]}" if line.start_with?("  ")
        after = line[/(?: for \S+ \w+| \(\w+\))\z/].to_s
        "#{line[0, columns - after.length - 1]}#{TerminalLines::CUT}#{after}"
      end
    end
  end
end
