# frozen_string_literal: true

require_relative "../profile_file"

module Rperf
  class CLI
    # The functions by their own time, in pprof's layout: what `go tool pprof -top` prints, and `-text`, which is the
    # same there.
    class Top
      # pprof's, such as "Feb 25, 2026 at 6:13am (UTC)".
      STARTED = "%b %-d, %Y at %-l:%M%P (%Z)"

      # Prints the functions of a profile, or how they differ from those of the profile `base`. Returns the exit
      # status.
      def show(path, base: nil)
        $stdout.write(base ? difference(path, base) : functions(path))
        $stdout.flush
        0
      end

      private

      def functions(path)
        profile = ProfileFile.new(path).profile
        complete("show '#{path}'") { profile.top(started(profile.start_time_ns)) }
      end

      def difference(path, base_path)
        base, target = [base_path, path].map { |file| ProfileFile.new(file).profile }
        times = [base, target].map(&:start_time_ns)
        complete("compare '#{base_path}' and '#{path}'") { target.top_diff(base, started(earlier(*times))) }
      end

      # As pprof has it: an unknown time of the target does not count, one of the base does.
      def earlier(base, target) = target.zero? ? base : [base, target].min

      # nil when the time is unknown.
      def started(nanoseconds)
        Time.at(0, nanoseconds, :nsec).strftime(STARTED) unless nanoseconds.zero?
      end

      def complete(task)
        yield
      rescue Error => error
        raise Error, "cannot #{task}: #{error.message}"
      end
    end
  end
end
