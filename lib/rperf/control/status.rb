# frozen_string_literal: true

require "json"
require_relative "../recording"
require_relative "../utf8"
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
      def to_json(*) = "#{JSON.pretty_generate(plain(to_h))}\n"

      private

      # A program may be called as it likes, and what it says of an error may be in any encoding.
      def plain(value)
        case value
        when Hash then value.transform_values { |one| plain(one) }
        when Array then value.map { |one| plain(one) }
        when String then UTF8.of(value)
        else value
        end
      end
    end
  end
end
