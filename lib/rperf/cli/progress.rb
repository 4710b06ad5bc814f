# frozen_string_literal: true

module Rperf
  class CLI
    # Says on stderr, if it is a terminal, what takes longer than a second.
    class Progress
      # Seconds until the first word, and from one to the next.
      PATIENCE = 1.0
      INTERVAL = 0.2

      CLEAR = "\r\e[K"

      # beside: where the block prints, if it does. What goes into a file does not mix with the
      #   words.
      def initialize(out = $stderr, patience: PATIENCE, beside: $stdout)
        @out = out
        @patience = patience
        @beside = beside
      end

      # Runs the block; `task` is what it does, such as "reading 'rperf.data'". The block is given a
      # Proc that ends the telling before the block ends, for one that prints where both are seen.
      def during(task)
        return yield(-> {}) unless @out.tty?
        finished = Thread::Queue.new
        speaker = Thread.new { speak(task, finished) }
        silence = lambda do
          finished.close
          speaker.join
        end
        begin
          yield -> { silence.call unless apart? }
        ensure
          silence.call
        end
      end

      private

      def apart? = @beside.stat.file?

      def speak(task, finished)
        seconds = @patience
        finished.pop(timeout: @patience)
        return if finished.closed?
        until finished.closed?
          @out.write("#{CLEAR}rperf: #{task}, #{seconds.floor} s ")
          finished.pop(timeout: INTERVAL)
          seconds += INTERVAL
        end
        @out.write(CLEAR)
      end
    end
  end
end
