# frozen_string_literal: true

module Rperf
  class CLI
    # Text on its way to a terminal: through a pager as soon as it is longer than that.
    class Pager
      # The pager's shell says that there is no such command.
      NOT_FOUND = 127

      # A pager that is not there has taken less than this, in bytes: what a pipe holds and a part.
      HELD = 1 << 20

      # out: the terminal; command: the pager's, for the shell; rows: those of the terminal; env:
      #   its environment
      def initialize(out, command, rows:, env:)
        @out = out
        @command = command
        @rows = rows
        # As git does: less keeps colours, ends by itself when all fits, and leaves the text on the
        # screen.
        @env = {"LESS" => env.fetch("LESS", "FRX"), "LV" => env.fetch("LV", "-c")}
        @held = +""
      end

      # Takes a part of the text. Raises Errno::EPIPE when the pager has ended: the rest is not
      # wanted.
      def <<(part)
        @held << part if @held.bytesize < HELD
        if @pipe then feed(part)
        elsif @missing then @out.write(part)
        elsif @held.count("\n") >= @rows then start
        end
        self
      end

      # Waits until the pager has ended. A text that was too short for it is written.
      def close
        finish if @pipe
        @out.write(@held) unless @started
        @out.flush
      end

      private

      # Ctrl-C is the pager's while it runs.
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
