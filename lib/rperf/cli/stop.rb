# frozen_string_literal: true

require_relative "fetched_profile"
require_relative "remote"

module Rperf
  class CLI
    # `rperf stop`: ends the session that `rperf start` has begun, and takes its profile.
    class Stop < Remote
      # Ends the session; returns the exit status.
      def call
        profile = FetchedProfile.new(@values)
        parameters = {format: FetchedProfile::FORMAT, mode: @values[:mode]}.compact
        profile.deliver(client.request("POST", "/stop", parameters))
      end
    end
  end
end
