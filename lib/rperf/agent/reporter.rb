# frozen_string_literal: true

require_relative "../own_thread"
require_relative "../continuous_session"
require_relative "../work"
require_relative "delivery"
require_relative "throttle"
require_relative "share"

module Rperf
  class Agent
    # Takes a profile of each period, one after the other, and passes it to the senders.
    class Reporter
      # Minimum time of a profile, in seconds. A shorter time becomes a part of the next profile,
      # unless there is none. Also the minimum time between two ends of sessions that the reporter
      # follows: a program may begin and end sessions all the time.
      SHORTEST = 0.5
      # Seconds until the next look for a session, and for whether this process belongs to the share
      # that records.
      AGAIN = 5
      # Maximum seconds between two looks for whether the session has ended. A session that begins
      # or ends wakes the reporter before.
      LOOK = 1
      # Number of failures in a row of the reporter itself that end it.
      OWN_FAILURES = 3

      # series: see Series; senders: objects with `push(delivery)` and `cpu_ns`
      def initialize(settings, series, senders, log:)
        @settings, @senders, @log = settings, senders, log
        @own_cpu = @errors = @resumed = 0
        @throttle = Throttle.new(settings[:frequency], most: settings[:max_overhead])
        @session = ContinuousSession.new(**%i[mode frequency interval slow].to_h { |name| [name, settings[name]] }, by: "agent")
        @share = Share.new(settings[:share], series.instance)
        # Processes that began together send at different moments.
        @phase = series.instance.delete("-").to_i(16).fdiv(16**32)
        @wake = Thread::Queue.new
      end

      # Begins to record.
      def start
        @session.open if @share.chosen?
        Recording.watch("agent") { @wake << nil }
        @thread = OwnThread.start("rperf agent") { run }
      end

      # Passes a profile to all senders.
      def push(profile) = @senders.each { |sender| sender.push(Delivery.new(profile)) }

      # Takes a profile now, within `seconds`. Returns whether the senders have it.
      def flush(seconds)
        done = Thread::Queue.new
        @wake << done
        done.pop(timeout: seconds) if @thread&.alive?
      end

      # Ends the thread and the session. last: seconds in which a last profile may be taken
      def stop(last: 0)
        Recording.unwatch("agent")
        flush(last) if last.positive?
        @thread&.kill&.join(last)
        @session.close
      end

      # The part of `Agent#status` that is about the session and the reporter.
      def status
        {session: @session.open?, problem:, frequency: @session.frequency,
         frequency_changes: @throttle.changes, period: @settings[:period], internal_errors: @errors, last_error: @last_error}
      end

      private

      # Returns why nothing is recorded now, or nil.
      def problem
        return if @session.open?
        return "the agent has ended after errors of its own: #{@last_error}" if @thread && !@thread.alive?
        return "today other processes record (share: #{@settings[:share]})" unless @share.chosen?
        @session.problem || @settings[:duty]&.then { |duty| "this is a pause (duty: #{duty.on}s/#{duty.of}s)" }
      end

      def run
        @reported = now
        @due = now + [@phase * (@settings[:duty]&.on || @settings[:period]), SHORTEST].max
        failures = 0
        while failures < OWN_FAILURES
          asked = @wake.pop(timeout: (till - now).clamp(0, LOOK))
          failures = attempt { asked ? report(at_once: true) : look } ? 0 : failures + 1
          asked&.push(failures.zero?)
        end
        @log.warn("rperf: the agent ends after errors of its own: #{@last_error}")
        @session.close
      end

      # Returns the time of the next thing to do, in seconds.
      def till = @session.ended? ? [@due, @resumed + SHORTEST].min : @due

      # Runs the block. Returns false when it failed.
      def attempt
        yield
        true
      rescue StandardError => error
        @errors += 1
        @last_error = "#{error.class}: #{error.message}"
        @due = now + AGAIN
        false
      end

      def look
        return turn if now >= @due
        resume if @session.ended? && now - @resumed >= SHORTEST
      end

      # Takes the rest of a session that has ended, and opens another one.
      def resume
        @resumed = now
        report(at_once: true)
        @session.close
        @due = now + AGAIN unless @session.open
      end

      # Ends a period or a pause, or looks for a session again.
      def turn
        was_open = @session.open?
        ends = was_open && (@settings[:duty] || !@share.chosen?)
        report(at_once: ends)
        @session.close if ends
        @session.open if !was_open && @share.chosen?
        @due = [@due + pause(was_open), now].max
      end

      # Seconds until the next turn.
      def pause(was_open)
        duty = @settings[:duty]
        return AGAIN unless @session.open? || (duty && was_open)
        return @settings[:period] unless duty
        was_open ? duty.off : duty.on
      end

      # Takes a profile of the time since the last one. at_once: also of a short time, but then only
      # one with samples is sent
      def report(at_once: false)
        is_short = now - @reported < SHORTEST
        return if is_short && !at_once
        @reported = now
        profiles = @session.take or return
        sent(profiles).each { |profile| push(notes.reduce(profile, :commented)) unless is_short && profile.weight.zero? }
        account(profiles.first.figures)
      end

      # Comments for a profile about how it was recorded.
      def notes
        duty = @settings[:duty]
        [*("duty: #{duty.on} s of each #{duty.of} s are recorded, and nothing is scaled" if duty),
         *("frequency: #{@throttle.frequency} Hz instead of #{@settings[:frequency]}, since more took too much of the processor" if @throttle.lowered? && @session.frequency)]
      end

      # Returns the profiles to send. With `wall: :work` and CPU time, only the wall time of
      # requests and jobs is sent: the threads of an idle server wait for the next request.
      def sent(profiles)
        return profiles unless @settings[:wall] == :work && profiles.any? { |profile| profile.mode == :cpu }
        profiles.filter_map { |profile| profile.mode == :wall ? of_work(profile) : profile }
      end

      def of_work(profile)
        found = profile.of_work(Work::LABELS.values.map(&:to_s))
        found if found.weight.positive?
      end

      def account(figures)
        before, @own_cpu = @own_cpu, own_cpu
        @session.frequency = @throttle.frequency if @throttle.period(figures, own: @own_cpu - before)
      end

      # Processor time of the agent's threads, in nanoseconds.
      def own_cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) + @senders.sum(&:cpu_ns)

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
