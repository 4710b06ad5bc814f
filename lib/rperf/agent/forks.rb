# frozen_string_literal: true

module Rperf
  class Agent
    # Forked children, and daemons, have an agent of their own.
    module Forks
      # Ruby calls this for every fork (but not for daemon).
      def _fork
        pid = super
        Agent.begin_anew if pid.zero?
        pid
      end

      # The child goes on.
      def daemon(...)
        super.tap { Agent.begin_anew }
      end
    end
  end
end
