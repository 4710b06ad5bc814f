# frozen_string_literal: true

require_relative "terminal"
require_relative "../utf8"

module Rperf
  class CLI
    # Reports on stderr, if it is a terminal, a task that takes longer than a second.
    class Progress
      # Seconds until the first report, and from one report to the next.
      PATIENCE = 1.0
      INTERVAL = 0.2

      CLEAR = "\r\e[K"

      # beside: the stream that the block prints to, if it prints. Where that is a file, the reports
      # do not mix with its text.
      def initialize(out = $stderr, patience: PATIENCE, beside: $stdout)
        @out = out
        @terminal = Terminal.new(out)
        @patience = patience
        @beside = beside
      end

      # Runs the block; `task` says what it does, such as "reading 'rperf.data'". The block is given
      # a Proc that ends the reports early, which it calls before it prints to the same terminal.
      def during(task)
        return yield(-> {}) unless @terminal.commands?
        finished = Thread::Queue.new
        speaker = start { speak(task, finished) }
        silence = lambda do
          finished.close
          speaker&.join
        end
        begin
          yield -> { silence.call unless apart? }
        ensure
          silence.call
        end
      end

      private

      # Starts a thread; returns nil where the system gives none.
      def start(&)
        Thread.new(&)
      rescue ThreadError
        nil
      end

      def apart? = @beside.stat.file?

      def speak(task, finished)
        seconds = @patience
        finished.pop(timeout: @patience)
        return if finished.closed?
        until finished.closed?
          @out.write("#{CLEAR}#{line("rperf: #{task}, #{seconds.floor} s ")}")
          finished.pop(timeout: INTERVAL)
          seconds += INTERVAL
        end
        @out.write(CLEAR)
      end

      # Returns the report without its end if that has no room: CLEAR clears one row.
      def line(text)
        columns = @terminal.columns
        columns ? UTF8.printable(text)[0, columns - 1] : UTF8.printable(text)
      end
    end
  end
end
