# frozen_string_literal: true

require_relative "pager"

module Rperf
  class CLI
    # The destination of text for people: stdout, and what it can show.
    class Terminal
      # Number of rows where the terminal does not say.
      ROWS = 24

      def initialize(out = $stdout, env: ENV)
        @out = out
        @env = env
      end

      # Whether colours are wanted (no-color.org); nil where the text goes to no terminal.
      def colour
        return unless @out.tty?
        @env.fetch("NO_COLOR", "").empty? && commands?
      end

      # Whether the text goes to a terminal that can erase what it shows.
      def commands? = @out.tty? && @env["TERM"] != "dumb"

      # Number of characters of a line; nil where the text goes to no terminal, or where the
      # terminal does not say.
      def columns = (size.last if @out.tty? && size&.last&.positive?)

      # Yields the stream that takes the text in parts (`<<`). It is a pager when the text is longer
      # than the terminal and `paged` is true.
      def show(paged: true)
        return yield(@out).tap { @out.flush } unless paged && @out.tty? && command
        pager = Pager.new(@out, command, rows:, env: @env)
        begin
          yield pager
        rescue Errno::EPIPE
          nil # Its reader has left before the end.
        ensure
          pager.close
        end
      end

      private

      # The pager's command, or nil where the user wants none.
      def command
        command = @env["RPERF_PAGER"] || @env["PAGER"] || "less"
        command unless ["", "cat"].include?(command.strip)
      end

      def rows = size&.first&.positive? ? size.first : ROWS

      # [rows, columns], or nil.
      def size
        require "io/console"
        @size ||= @out.winsize
      rescue LoadError, SystemCallError
        nil
      end
    end
  end
end
