# frozen_string_literal: true

require_relative "../control/parameters"
require_relative "remote"

module Rperf
  class CLI
    # `rperf start`: begins a session in a process.
    class Start < Remote
      # Begins the session; returns the exit status.
      def call
        given = @values.slice(:seconds, *Control::Parameters::SESSION).compact
        client.request("POST", "/start", given.transform_values { |value| Array(value).join(",") })
        note("process #{pid} records for #{@values[:seconds] || Control::Parameters::SECONDS} s; end it before with: rperf stop #{pid}")
        0
      end
    end
  end
end
