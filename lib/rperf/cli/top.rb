# frozen_string_literal: true

require_relative "attach"

module Rperf
  class CLI
    # `rperf top`: what a process does, again and again.
    class Top < Attach
      # Clears a terminal.
      CLEAR = "\e[H\e[2J"

      # Shows it until Ctrl-C, or once where there is no terminal; returns the exit status.
      def call
        profile = FetchedProfile.new({**@values, view: [:top], pager: false, unit: "auto"})
        loop do
          bytes = fetch
          $stdout.write(CLEAR) if $stdout.tty?
          status = profile.deliver(bytes)
          return status unless $stdout.tty?
        end
      rescue Interrupt
        0
      end
    end
  end
end
