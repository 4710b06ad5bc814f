# frozen_string_literal: true

module Rperf
  class CLI
    # Text on its way to a terminal, through a pager as soon as it is longer than the terminal.
    class Pager
      # Exit status of the shell that runs the pager when there is no such command.
      NOT_FOUND = 127

      # Bytes of text kept in case the pager is missing: more than a pipe holds and one part.
      HELD = 1 << 20

      # out: the terminal; command: the pager's, for the shell; rows: number of rows of the
      # terminal; env: the environment that LESS and LV are taken from
      def initialize(out, command, rows:, env:)
        @out = out
        @command = command
        @rows = rows
        # The same as git's: less keeps colours, ends by itself when everything fits, and leaves the
        # text on the screen.
        @env = {"LESS" => env.fetch("LESS", "FRX"), "LV" => env.fetch("LV", "-c")}
        @held = +""
      end

      # Takes a part of the text. Raises Errno::EPIPE when the pager has ended: the rest is not
      # needed.
      def <<(part)
        @held << part if @held.bytesize < HELD
        if @pipe then feed(part)
        elsif @missing then @out.write(part)
        elsif @held.count("\n") >= @rows then start
        end
        self
      end

      # Waits until the pager has ended. A text that was too short for a pager is written here.
      def close
        finish if @pipe
        @out.write(@held) unless @started
        @out.flush
      end

      private

      # Starts the pager, which alone handles Ctrl-C while it runs.
      def start
        @started = true
        @before = trap("INT", "IGNORE")
        @pipe = IO.popen(@env, ["/bin/sh", "-c", @command], "w", out: @out)
        feed(@held)
      end

      def feed(text)
        @pipe.write(text)
      rescue Errno::EPIPE
        finish
        raise unless @missing
      end

      def finish
        close_pipe
        @missing = $?.exitstatus == NOT_FOUND
        @out.write(@held) if @missing # The shell has said why.
      end

      def close_pipe
        @pipe.close
      rescue Errno::EPIPE
        nil
      ensure
        @pipe = nil
        trap("INT", @before || "DEFAULT")
      end
    end
  end
end
