# frozen_string_literal: true

require_relative "../control/client"
require_relative "../numbers"
require_relative "../terminal_lines"
require_relative "../utf8"
require_relative "failure"
require_relative "terminal"

module Rperf
  class CLI
    # `rperf ps`: lists the processes of this user that can be controlled.
    class Ps
      # Maximum time for the answer of each process, in seconds.
      WITHIN = 2
      # Maximum number of characters of a program's name.
      LONGEST = 100
      HEADINGS = %w[PID SESSION PROGRAM].freeze

      # Describes a session in some words: "cpu at 1000 Hz for 2.00 s".
      def self.session(session)
        return "none" unless session
        at = " at #{session[:frequency]} Hz" if session[:frequency]
        "#{session[:modes].join(" and ")}#{at} for #{Numbers.duration((session[:seconds] * 1e9).round)}"
      end

      # Returns the name of the program in a status, as people can read it in one line.
      def self.program(status) = UTF8.printable(status[:program])[0, LONGEST]

      def initialize(_values, words)
        @words = words
      end

      # Prints a line for each process; returns the exit status.
      def call
        raise Failure.usage("'rperf ps' takes no arguments, but got '#{@words.first}'") if @words.any?
        rows = Control::Client.all.map { |client| row(client) }
        rows.empty? ? Error.complain("no process of yours has a control socket: load rperf in one, and call Rperf::Control.start there or set RPERF_CONTROL=1") : print([HEADINGS, *rows])
        0
      end

      private

      def row(client)
        status = client.status(within: WITHIN)
        [client.pid.to_s, Ps.session(status[:session]), Ps.program(status)]
      rescue Rperf::Error
        [client.pid.to_s, "does not answer", "?"]
      end

      # Prints the table. The program is last, since it may have any length and characters of two
      # columns. On a terminal it may lose its end.
      def print(rows)
        columns = Terminal.new.columns
        pids, sessions = rows.transpose.map { |column| column.map(&:length).max }
        rows.each do |pid, session, program|
          head = "#{pid.rjust(pids)}  #{session.ljust(sessions)}  "
          $stdout.puts("#{head}#{TerminalLines.cut(program, head.length, columns)}")
        end
      end
    end
  end
end
