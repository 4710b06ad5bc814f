# frozen_string_literal: true

require_relative "ps"
require_relative "remote"

module Rperf
  class CLI
    # `rperf status`: what a process says about itself.
    class Status < Remote
      # Prints it; returns the exit status.
      def call
        status = client.status
        $stdout.puts(@values[:layout] == :json ? JSON.pretty_generate(status) : lines(status))
        0
      end

      private

      def lines(status)
        session, kept = status.values_at(:session, :kept)
        ["process #{status[:pid]}: #{status[:program]}", "ruby: #{status[:ruby]}", "rperf: #{status[:rperf]}",
         "session: #{Ps.session(session)}#{ending(session)}", *("kept: the #{kept.join(" and ")} profile, for 'rperf stop #{pid}'" if kept.any?)]
      end

      def ending(session)
        return unless session
        return ", started by the #{session[:started_by]}" unless session[:started_by] == "control"
        session[:ends_in_seconds] ? ", ends in #{session[:ends_in_seconds]} s" : ", for a profile that is being taken"
      end
    end
  end
end
