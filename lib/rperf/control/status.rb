# frozen_string_literal: true

require_relative "../recording"
require_relative "../utf8"
require_relative "../version"
require_relative "guest_session"
require_relative "recordings"

module Rperf
  module Control
    # The status of this process, without secrets, arguments and environment.
    module Status
      # The title that a server gives to its process, without arguments: "unicorn worker[0]".
      TITLE = %r{\A[^ /]+ .*?(?= -|\z)}
      private_constant :TITLE

      class << self
        # Returns the status, a Hash for JSON.
        def to_h
          {pid: Process.pid, program:, ruby: RUBY_DESCRIPTION, rperf: VERSION,
           session: Recording.status&.merge(GuestSession.status), kept: GuestSession.kept_modes, **parts}
        end

        private

        def program
          name = UTF8.of($PROGRAM_NAME)
          name[TITLE] || File.basename(name)
        end

        # Returns {agent:, recorder:}, each where it runs.
        def parts
          {agent: (Agent.status if defined?(Agent.status)), recorder: (Recorder.status if Recordings.any?)}.compact
        end
      end
    end
  end
end
