# frozen_string_literal: true

require_relative "../recording"

module Rperf
  module Control
    # The session that a process runs on request from outside. It ends when the program starts a
    # session, and it never ends a session of the program.
    module GuestSession
      # Error where a session is needed and none runs.
      NONE = "no session runs in this process: start one, or say for how many seconds (seconds=)"

      class << self
        # Starts the session, which ends by itself after `seconds`. Raises Rperf::Error when a
        # session runs already, or none can start.
        def start(options, seconds:)
          @mutex.synchronize do
            raise Error, "a session runs already (#{Recording.status[:modes].join(" and ")})#{advice}" if Rperf.running?
            @session = Recording.start_guest(options)
            @kept = nil
            @ends_at = now + seconds
            end_after(seconds, @session)
          end
        end

        # Runs the block while a session runs that has one of these modes: the current one, or one
        # with these Options. Raises Rperf::Error when another one runs, or none can start.
        def during(modes, options)
          @mutex.synchronize do
            Rperf.running? ? check_modes(modes) : start_for_readers(options)
            @users += 1
          end
          begin
            yield
          ensure
            @mutex.synchronize { leave }
          end
        end

        # Raises Rperf::Error when no session runs that has one of these modes.
        def check_modes(modes)
          running = Recording.status or raise Error, NONE
          return if running[:modes].intersect?(modes)
          raise Error, "a #{running[:modes].join(" and ")} session runs in this process, which has no #{modes.join(" or ")} profile: " \
                       "#{own? ? "stop it (rperf stop #{Process.pid})" : "wait until the #{status[:started_by]} has stopped it"}, or take one of its own"
        end

        # Ends the session, if it still runs. Returns the Native::Profile of `mode`, or of the first
        # mode. Raises Rperf::Error when there was no session, or it had no such mode.
        def stop(mode = nil)
          @mutex.synchronize do
            keep if own?
            raise Error, no_session unless @kept
            @kept.find { |profile| mode.nil? || profile.mode == mode } or
              raise Error, "the session had no mode #{mode}; it had #{kept_modes.join(" and ")}"
          end
        end

        # Returns the origin of the session that runs, and the seconds until its end, if known.
        def status
          ends_in = {ends_in_seconds: [@ends_at - now, 0].max.round(1)} if @ends_at
          return {started_by: "control", **ends_in} if own?
          {started_by: Recording.started_by}
        end

        # Modes of the profiles of the last session, which are kept until the next one begins.
        def kept_modes = (@kept || []).map(&:mode)

        # Whether the session that runs is the one that was asked for from outside. (An agent's
        # session is a guest, too.)
        def own? = @session && Recording.guest.equal?(@session)

        # In a forked child: forgets the session, which is its parent's.
        def forget
          @mutex = Mutex.new
          @kept = nil
          @ends_at = @session = @waits = nil
          @users = 0
        end

        private

        # Ends the session after `seconds`. Its thread waits at most until the next session begins.
        def end_after(seconds, session)
          @waits&.close
          @waits = waits = Thread::Queue.new
          OwnThread.start("rperf control") do
            waits.pop(timeout: seconds)
            @mutex.synchronize { keep if Recording.guest.equal?(session) && @users.zero? }
          end
        rescue Error
          Recording.stop_guest if own?
          raise
        end

        # Starts a session that ends with its last reader.
        def start_for_readers(options)
          @session = Recording.start_guest(options, keeps: false)
          @ends_at = nil
        end

        # Removes a reader. The last one ends a session whose time is over, or that has no end.
        def leave
          @users -= 1
          return unless @users.zero? && own?
          @ends_at ? (keep if now >= @ends_at) : Recording.stop_guest
        end

        # Ends the session. Its profiles are kept, unless the program has just started its own.
        def keep
          profiles = Recording.stop_guest
          @kept = profiles if profiles.any?
          @waits&.close
        end

        # What to do about the session that runs.
        def advice
          own? ? ": stop it first, or take profiles of it" : ", which the #{status[:started_by]} has started and ends: take profiles of it"
        end

        def no_session
          return "no session runs in this process: start one first" unless Rperf.running?
          "the session of this process was started by the #{status[:started_by]}, which ends it: take profiles of it while it runs"
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      forget
    end
  end
end
