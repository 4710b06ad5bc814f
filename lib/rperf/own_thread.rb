# frozen_string_literal: true

require_relative "native"

module Rperf
  # Threads of rperf's own, which no session samples: their work and their waiting are not the
  # program's.
  module OwnThread
    @all = []

    class << self
      # Starts one of this name that runs the block. It never ends the program: what the block
      # raises is for the block to say.
      def start(name, &block)
        thread = Thread.new do
          Native.leave_out_thread
          block.call
        end
        thread.name = name
        thread.report_on_exception = false
        @all = [*all, thread]
        thread
      end

      # Those that live.
      def all = @all.select(&:alive?)
    end
  end
end
