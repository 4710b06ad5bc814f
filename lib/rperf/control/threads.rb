# frozen_string_literal: true

require_relative "../own_thread"

module Rperf
  module Control
    # Where all threads of the process are now, but for rperf's own: one stack each, for people.
    module Threads
      # A thread with more frames shows the innermost of them.
      MOST_FRAMES = 200

      class << self
        # A paragraph for each thread, in the order in which they began.
        def to_s = (Thread.list - OwnThread.all).map { |thread| paragraph(thread) }.join("\n")

        private

        # A thread may have ended meanwhile: it has no frames.
        def paragraph(thread)
          frames = thread.backtrace(0, MOST_FRAMES) || []
          ["#{name(thread)} (#{state(thread)})", *frames.map { |frame| "  #{frame}" }].join("\n") << "\n"
        end

        def name(thread)
          return "main" if thread == Thread.main
          thread.name || thread.inspect[/@(.*) \S+>\z/, 1] || "thread"
        end

        # "sleep_forever", "run", ...
        def state(thread) = thread.inspect[/ (\S+)>\z/, 1]
      end
    end
  end
end
