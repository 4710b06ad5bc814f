# frozen_string_literal: true

require_relative "../continuous_session"
require_relative "../own_thread"
require_relative "allowance"
require_relative "cause"
require_relative "collector_time"
require_relative "directory"
require_relative "window"
require_relative "work_watch"
require_relative "../work"

module Rperf
  module Recorder
    # Keeps the window, and makes recordings of it, on a thread of its own.
    class Keeper
      # Seconds between two looks for a reason to make a recording.
      LOOK = 1
      # Length of a segment in seconds. Naming its frames costs for five nearly as much as for one.
      SEGMENT = 5
      # Maximum seconds until a requested recording is there, and until the thread ends.
      PATIENCE = 10
      LAST = 1.0
      # Label of all samples of a recording; its value is the kind of the cause.
      LABEL = "recording"

      # Raises Rperf::Error where the directory cannot be used.
      def initialize(settings)
        @settings = settings
        @directory = directory(settings[:directory]) if settings[:directory]
        @session = ContinuousSession.new(mode: settings[:mode], frequency: settings[:frequency], slow: settings[:slow] || nil,
          timeline: settings[:timeline], by: "recorder")
        @window = Window.new(settings[:window])
        @allowance = Allowance.new
        @work = WorkWatch.new(settings) { |cause| record(cause) }
        @watches = [@work, *(CollectorTime.new(settings[:gc]) if settings[:gc])]
        @requests = Thread::Queue.new
        @made = @failed = 0
        @refused = Hash.new(0)
      end

      # Begins to record, and to watch units of work.
      def start
        reopen
        Work.observer = @work
        Recording.watch("recorder") { changed }
        @thread = OwnThread.start("rperf recorder") { run }
      end

      # Asks for a recording, without waiting for it. Any thread may call it, and a signal handler.
      def record(cause) = request { make(cause) }

      # Makes a recording. Returns the names of its files, [] where it goes to the agent. Raises
      # Rperf::Error where no recording is made.
      def record!(cause) = ask { make(cause) }

      # Returns a Native::Profile of each mode of the last `seconds`. Raises Rperf::Error where
      # nothing was recorded.
      def past(seconds)
        ask do
          collect
          @window.profiles(now, seconds) or nothing
        end
      end

      # The Directory, made when it is needed; nil where recordings go to the agent.
      def place = (@directory ||= directory(@settings.default_directory) unless @directory.nil? && agent?)

      # See Recorder.status.
      def status
        {session: @session.open?, problem: @session.problem, window: @settings[:window], seconds: @window.seconds.round(1),
         bytes: @window.bytes, given_up: @window.given_up, made: @made, refused: @refused.dup, failed: @failed, last_error: @last_error}
      end

      # Ends the thread and the session.
      def stop
        Recording.unwatch("recorder")
        Work.observer = nil if Work.observer.equal?(@work)
        @requests.close
        @thread&.join(LAST) || @thread&.kill&.join(LAST)
        @session.close
      end

      private

      def directory(path) = Directory.new(path, keep: @settings[:keep], ending: @settings[:ending])

      def agent? = defined?(Agent.running?) && Agent.running?

      # Runs requests and looks, until the queue is closed and empty.
      def run
        @look_at = now + LOOK
        until @requests.closed? && @requests.empty?
          @requests.pop(timeout: [@look_at - now, 0].max)&.call
          attempt { look } if now >= @look_at
        end
      end

      # Takes the rest of a session that has ended, and reads the next one.
      def changed = request { collect if @session.ended? }

      def look
        @look_at = now + LOOK
        collect if now >= @collect_at || @session.ended?
        @watches.each { |watch| attempt { watch.look&.then { |cause| make(cause) } } }
      end

      # Adds the profiles of the session since the last time to the window, as a segment.
      def collect
        @collect_at = now + SEGMENT
        profiles = @session.take
        add(profiles) if profiles
        reopen unless @session.open?
      end

      # Adds a segment. Segments of the last session stay until the next session has one, whose
      # threads are numbered anew.
      def add(profiles)
        @window.clear if @is_new
        @is_new = false
        @window.add(profiles, now)
      end

      def reopen
        @collect_at = now + SEGMENT
        @is_new = @session.open
      end

      def make(cause)
        check_allowance(cause)
        collect
        time = Time.now.utc
        profiles = recorded(cause, time) or nothing
        names = deliver(profiles, cause, time)
        @made += 1
        names
      end

      # Returns all of the window, with a label on the samples of the cause's unit.
      def recorded(cause, time)
        kind, unit = cause.kind.to_s, cause.unit
        @window.recording([cause.comment(time), LABEL, kind], unit ? unit.began : now) { |profile| unit.mark(profile, kind) }
      end

      def check_allowance(cause)
        wait = @allowance.take(now) or return
        @refused[cause.kind] += 1
        raise Refused, "there is one recording a minute, and ten an hour, at most: come again in #{wait.ceil} s"
      end

      def deliver(profiles, cause, time)
        return place.put(profiles, cause, time) if place
        profiles.each { |profile| Agent.push(profile) }
        []
      end

      def nothing = raise(Error, "nothing is recorded#{": #{@session.problem}" if @session.problem}")

      # Runs the block on the recorder's thread, and returns its result.
      def ask
        answers = Thread::Queue.new
        request do
          answers << yield
        rescue Error => error
          answers << error
        end
        answer = answers.pop(timeout: PATIENCE) or raise Error, "the recorder has not answered in #{PATIENCE} s: its process is busy"
        answer.is_a?(Error) ? raise(answer) : answer
      end

      # Runs the block on the recorder's thread, without waiting for it.
      def request(&block)
        @requests << -> { attempt(&block) }
      rescue ClosedQueueError
        nil # The recorder ends.
      end

      # Runs the block. Of its errors the program sees only a line, once for the same error.
      def attempt
        yield
      rescue Refused
        nil # It is counted.
      rescue StandardError => error
        @failed += 1
        before, @last_error = @last_error, error.message
        Error.complain "the recorder: #{error.message}" unless @last_error == before
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # Error of a request for a recording that the limits do not permit.
    class Refused < Error; end
  end
end
