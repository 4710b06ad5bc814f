# frozen_string_literal: true

require_relative "fetched_profile"
require_relative "progress"
require_relative "remote"

module Rperf
  class CLI
    # `rperf attach`: a profile of some seconds of a process that runs.
    class Attach < Remote
      SECONDS = 30
      # What a process calls the profiles of the modes.
      PROFILES = {cpu: "profile", wall: "wall", block: "block", mutex: "mutex", alloc: "allocs", heap: "heap"}.freeze
      # Seconds beyond those of the profile: it may have to be sent by a machine that is busy.
      PATIENCE = 30

      # Takes it and shows it; returns the exit status.
      def call
        pid
        check
        profile = FetchedProfile.new(@values)
        profile.deliver(Progress.new.during(task) { fetch })
      end

      private

      def check
        return unless @values[:past] && @values[:frequency]
        raise Failure.usage("--frequency is for what is still to be recorded, and --past for what has been: leave out one of the two")
      end

      def task = @values[:past] ? "taking the last #{seconds} s of process #{pid}" : "profiling process #{pid} for #{seconds} s"

      def seconds = @values.fetch(:seconds, SECONDS)

      # The bytes of the profile. Raises Rperf::Error.
      def fetch
        parameters = {seconds:, format: FetchedProfile::FORMAT, frequency: @values[:frequency], past: (1 if @values[:past])}.compact
        client.request("GET", "/debug/pprof/#{PROFILES.fetch(mode)}", parameters, within: seconds + PATIENCE)
      end

      # That of the process's own session, where it has one of these.
      def mode = @mode ||= @values[:attached] || own_modes.find { |mode| PROFILES.key?(mode) } || :cpu

      def own_modes = client.status.dig(:session, :modes).to_a.map(&:to_sym)
    end
  end
end
