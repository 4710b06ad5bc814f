# frozen_string_literal: true

require_relative "../readers"
require_relative "guest_session"
require_relative "parameters"
require_relative "recordings"

module Rperf
  module Control
    # A kind of profile that can be asked for, by the name that Go has for it. A profile of it is
    # taken of the session that runs, or of one that runs only for the request.
    #
    # modes:   modes of the sessions that have it; a session that is started for it has the first
    # seconds: default length of the profile; nil: all of the session so far
    # locks:   nil; or, of a wall profile, the time off the GVL: false for all, true for locks
    # value:   nil; or the value that it shows unless another is chosen
    # about:   description for the list
    ProfileKind = Data.define(:modes, :seconds, :about, :locks, :value) do
      def initialize(locks: nil, value: nil, **) = super

      # Names of the parameters of requests for it.
      def parameters = [:seconds, :past, :format, :debug, *(modes == %i[heap] ? :gc : nil), timed? ? :frequency : :interval]

      # Returns a Native::Profile. The block returns when the seconds that it is given have
      # passed. Raises Rperf::Error when the session has no such profile.
      def take(seconds: self.seconds, gc: false, frequency: nil, interval: nil, **, &pause)
        options = {mode: modes.first, frequency:, interval:}.compact
        profiles = seconds ? of_seconds(seconds, gc, options, &pause) : so_far(gc)
        own(profiles.find { |one| modes.include?(one.mode) })
      end

      # Returns the same from the recorder's window: of the last `seconds`, or of everything. Raises
      # Rperf::Error where no recorder runs, or where it has no such profile.
      def past(seconds)
        profiles = Recordings.keeper.past(seconds || Recordings::ALL)
        profile = profiles.find { |one| modes.include?(one.mode) } or
          raise Error, "the recorder keeps the #{profiles.map(&:mode).join(" and ")} profile, and no #{modes.join(" or ")} profile: " \
                       "see the setting 'mode' of Rperf::Recorder.start"
        own(profile)
      end

      private

      def own(profile)
        profile = profile.blocked(locks) unless locks.nil?
        value ? profile.weighed_by(value) : profile
      end

      def timed? = modes.intersect?(Options::Modes::TIMED)

      def of_seconds(seconds, gc, options)
        GuestSession.during(modes, Options.from_keywords(options)) do
          reader = Reader.open
          yield seconds
          reader.take(gc:) or raise Error, "the session has ended, and nothing was recorded since: ask again"
        ensure
          reader&.close
        end
      end

      def so_far(gc)
        GuestSession.check_modes(modes)
        Recording.snapshot(clear: false, gc:) or raise Error, GuestSession::NONE
      end
    end

    # Kinds of profiles by their paths below /debug/pprof.
    PROFILE_KINDS = {
      "profile" => ProfileKind.new(modes: %i[cpu], seconds: 30, about: "CPU time"),
      "wall" => ProfileKind.new(modes: %i[wall], seconds: 30, about: "wall time"),
      "block" => ProfileKind.new(modes: %i[wall], seconds: nil, locks: false, about: "wall time off the GVL"),
      "mutex" => ProfileKind.new(modes: %i[wall], seconds: nil, locks: true, about: "wall time in which threads waited for locks and queues"),
      "allocs" => ProfileKind.new(modes: %i[alloc heap], seconds: nil, value: "alloc_space", about: "objects that are allocated"),
      "heap" => ProfileKind.new(modes: %i[heap], seconds: nil, about: "objects in use")
    }.freeze
  end
end
