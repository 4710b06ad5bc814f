# frozen_string_literal: true

require "json"
require_relative "../recording"
require_relative "../version"
require_relative "recordings"

module Rperf
  module Control
    # What a process says about itself: nothing secret, no arguments, no environment.
    class Status
      # A Hash of what there is to say.
      def to_h
        {pid: Process.pid, program: File.basename($PROGRAM_NAME), ruby: RUBY_DESCRIPTION, rperf: VERSION,
         session: Recording.status&.merge(GuestSession.status), kept: GuestSession.kept_modes, **agent, **recorder}
      end

      # {agent:}, where one runs.
      def agent = {agent: (Agent.status if defined?(Agent.status))}.compact

      # {recorder:}, where one runs.
      def recorder = Recordings.any? ? {recorder: Recorder.status} : {}

      # The same as text, with a line feed at its end.
      def to_json(*) = "#{JSON.pretty_generate(to_h)}\n"
    end
  end
end
