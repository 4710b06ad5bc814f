# frozen_string_literal: true

module Rperf
  class CLI
    # Where text for people goes: stdout, and what it can show.
    class Terminal
      # Rows where the terminal does not say.
      ROWS = 24

      def initialize(out = $stdout, env: ENV)
        @out = out
        @env = env
      end

      # nil where the text goes to no terminal, else whether colours are wanted (no-color.org).
      def colour
        return unless @out.tty?
        @env.fetch("NO_COLOR", "").empty? && @env["TERM"] != "dumb"
      end

      # Writes the text, through a pager when it is longer than the terminal and `paged` is true.
      def show(text, paged: true)
        return page(text) if paged && @out.tty? && pager && text.count("\n") >= rows
        @out.write(text)
        @out.flush
      end

      private

      # The command, or nil where the user wants none.
      def pager
        command = @env["RPERF_PAGER"] || @env["PAGER"] || "less"
        command unless ["", "cat"].include?(command.strip)
      end

      def rows
        require "io/console"
        rows = @out.winsize.first
        rows.positive? ? rows : ROWS
      rescue LoadError, SystemCallError
        ROWS
      end

      # As git does: less keeps colours, ends by itself when all fits, and leaves the text on the screen.
      def page(text)
        env = {"LESS" => @env.fetch("LESS", "FRX"), "LV" => @env.fetch("LV", "-c")}
        IO.popen(env, ["/bin/sh", "-c", pager], "w", out: @out) { |pipe| feed(pipe, text) }
        @out.write(text) if $?.exitstatus == 127 # There is no such command; the shell has said so.
      end

      # The reader may leave before the end; Ctrl-C is the pager's.
      def feed(pipe, text)
        before = trap("INT", "IGNORE")
        pipe.write(text)
        pipe.close
      rescue Errno::EPIPE
        nil
      ensure
        trap("INT", before || "DEFAULT")
      end
    end
  end
end
