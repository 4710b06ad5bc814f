# frozen_string_literal: true

module Rperf
  class CLI
    # The functions by their own time, in pprof's layout: what `go tool pprof -top` prints, and `-text`, which is the
    # same there.
    class Top
      # pprof's, such as "Feb 25, 2026 at 6:13am (UTC)".
      STARTED = "%b %-d, %Y at %-l:%M%P (%Z)"

      # Prints the functions of a Subject, or how they differ from those of its base. Returns the exit status.
      def show(subject)
        $stdout.write(subject.difference? ? difference(subject) : functions(subject))
        $stdout.flush
        0
      end

      private

      def functions(subject)
        profile = subject.profile
        subject.complete { profile.top(started(profile.start_time_ns)) }
      end

      def difference(subject)
        base, target = subject.base, subject.target
        times = [base, target].map(&:start_time_ns)
        subject.complete { target.top_diff(base, started(earlier(*times))) }
      end

      # As pprof has it: an unknown time of the target does not count, one of the base does.
      def earlier(base, target) = target.zero? ? base : [base, target].min

      # nil when the time is unknown.
      def started(nanoseconds)
        Time.at(0, nanoseconds, :nsec).strftime(STARTED) unless nanoseconds.zero?
      end
    end
  end
end
