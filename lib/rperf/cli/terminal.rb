# frozen_string_literal: true

require_relative "pager"

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

      # How many characters a line has; nil where the text goes to no terminal, or that does not
      # say.
      def columns = (size.last if @out.tty? && size&.last&.positive?)

      # Yields what takes the text in parts (`<<`): a pager when the text is longer than the
      # terminal and `paged` is true.
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

      # The command, or nil where the user wants none.
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
