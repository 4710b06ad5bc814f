# frozen_string_literal: true

require_relative "../web/response"

module Rperf
  module Control
    # Permits one profile at a time. Other requests are told when to come again.
    class Turn
      def initialize
        @mutex = Mutex.new
        @ends_at = 0
      end

      # Runs the block, which takes `seconds`. Raises Web::Refusal while another block runs.
      def take(seconds)
        refuse unless @mutex.try_lock
        begin
          @ends_at = now + seconds
          yield
        ensure
          @mutex.unlock
        end
      end

      private

      def refuse
        left = [(@ends_at - now).ceil, 1].max
        raise Web::Refusal.new(503, "a profile is being taken already: come again in #{left} s", "retry-after" => left.to_s)
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
