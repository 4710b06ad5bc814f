# frozen_string_literal: true

require_relative "attach"

module Rperf
  class CLI
    # `rperf top`: shows again and again what a process does.
    class Top < Attach
      # Escape sequence that clears a terminal.
      CLEAR = "\e[H\e[2J"

      # Shows the table until Ctrl-C, or once without a terminal; returns the exit status.
      def call
        # As many rows as --nodecount says, also small ones: this command has no --nodefraction.
        profile = FetchedProfile.new({**@values, view: [:top], nodefraction: 0.0, pager: false, unit: "auto"})
        loop do
          bytes = fetch
          $stdout.write(CLEAR) if Terminal.new.commands?
          status = profile.deliver(bytes)
          return status unless $stdout.tty?
        end
      rescue Interrupt
        0
      end
    end
  end
end
