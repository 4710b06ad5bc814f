# frozen_string_literal: true

require_relative "fetched_profile"
require_relative "progress"
require_relative "remote"

module Rperf
  class CLI
    # `rperf attach`: takes a profile of some seconds from a running process.
    class Attach < Remote
      SECONDS = 30
      # Names under which a process serves the profiles, by mode.
      PROFILES = {cpu: "profile", wall: "wall", block: "block", mutex: "mutex", alloc: "allocs", heap: "heap"}.freeze
      # The modes that block and mutex are parts of.
      PARTS = {block: :wall, mutex: :wall}.freeze
      # Seconds to wait for the answer beyond those of the profile: a busy machine may send it late.
      PATIENCE = 30

      # Takes the profile and shows it, or writes it to a file. Returns the exit status.
      def call
        pid
        check
        profile = FetchedProfile.new(@values)
        profile.deliver(Progress.new.during(task) { fetch })
      end

      private

      def check
        given = %i[frequency interval].find { |name| @values[name] } if @values[:past]
        raise Failure.usage("--#{given} is for what is still to be recorded, and --past for what has been: leave out one of the two") if given
      end

      def task = @values[:past] ? "taking the last #{seconds} s of process #{pid}" : "profiling process #{pid} for #{seconds} s"

      def seconds = @values.fetch(:seconds, SECONDS)

      # Raises Failure if an option has no meaning in the mode.
      def check_mode
        Options::Modes.check([PARTS.fetch(mode, mode)], @values.slice(:frequency, :interval), Options::Naming::GIVEN)
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Returns the bytes of the profile. Raises Rperf::Error, and Failure like `check_mode`.
      def fetch
        check_mode
        parameters = {seconds:, format: FetchedProfile::FORMAT, **@values.slice(:frequency, :interval), past: (1 if @values[:past])}.compact
        client.request("GET", "/debug/pprof/#{PROFILES.fetch(mode)}", parameters, within: seconds + PATIENCE)
      end

      # The mode asked for, else the first mode of the session with a profile, else cpu.
      def mode = @mode ||= @values[:attached] || own_modes.find { |mode| PROFILES.key?(mode) } || :cpu

      def own_modes = client.status.dig(:session, :modes).to_a.map(&:to_sym)
    end
  end
end
