# frozen_string_literal: true

require "shellwords"
require_relative "../errors"

module Rperf
  class CLI
    # The user's browser, which BROWSER names (commands with a colon between them, "%s" for the
    # address). Without BROWSER it is the one that the desktop has chosen.
    class Browser
      MISSING = "no browser could be opened: open the address yourself"

      def initialize(env = ENV, platform = RUBY_PLATFORM)
        @env = env
        @platform = platform
      end

      # Opens the address in the first browser that can be started, and says so when there is none.
      def open(url)
        pid = nil
        commands.find { |command| pid = start(words(command, url)) }
        pid ? watch(pid) : complain
      end

      private

      def commands
        named = @env.fetch("BROWSER", "").split(":").reject(&:empty?)
        named.any? ? named : desktop
      end

      # Without a screen xdg-open would start a browser for terminals, in the background.
      def desktop
        return ["open"] if @platform.include?("darwin")
        %w[DISPLAY WAYLAND_DISPLAY].any? { |name| !@env.fetch(name, "").empty? } ? ["xdg-open"] : []
      end

      def words(command, url)
        words = Shellwords.split(command)
        words.any? { |word| word.include?("%s") } ? words.map { |word| word.gsub("%s", url) } : [*words, url]
      rescue ArgumentError
        [command, url] # Quotes without an end.
      end

      # Starts a command in its own process group, out of reach of Ctrl-C. nil: no such command.
      def start(words)
        program, *arguments = words
        Process.spawn([program, program], *arguments, in: File::NULL, out: File::NULL, err: File::NULL, pgroup: true)
      rescue SystemCallError
        nil
      end

      # Complains if the command fails later: xdg-open finds out late that there is no browser.
      def watch(pid)
        waiter = Process.detach(pid)
        Thread.new { complain unless waiter.value.success? }
      rescue ThreadError
        nil # The system gives no thread.
      end

      def complain = Error.complain(MISSING)
    end
  end
end
