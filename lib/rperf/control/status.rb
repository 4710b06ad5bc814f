# frozen_string_literal: true

require "json"
require_relative "../recording"
require_relative "../utf8"
require_relative "../version"
require_relative "recordings"

module Rperf
  module Control
    # The status of this process, without secrets, arguments and environment.
    class Status
      # Returns the status as a Hash.
      def to_h
        {pid: Process.pid, program: File.basename($PROGRAM_NAME), ruby: RUBY_DESCRIPTION, rperf: VERSION,
         session: Recording.status&.merge(GuestSession.status), kept: GuestSession.kept_modes, **agent, **recorder}
      end

      # Returns {agent:}, where an agent runs.
      def agent = {agent: (Agent.status if defined?(Agent.status))}.compact

      # Returns {recorder:}, where a recorder runs.
      def recorder = Recordings.any? ? {recorder: Recorder.status} : {}

      # Returns the status as a text, JSON with a line feed at its end.
      def to_json(*) = "#{JSON.pretty_generate(plain(to_h))}\n"

      private

      # Makes texts UTF-8: a program may have any name, and its errors may be in any encoding.
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
