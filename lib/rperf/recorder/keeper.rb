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
      # Seconds between two looks at what may be worth a recording.
      LOOK = 1
      # Seconds of a segment. To name its frames costs as much for five seconds as for one, nearly.
      SEGMENT = 5
      # Seconds in which a recording that was asked for is there, or in which the thread ends.
      PATIENCE = 10
      LAST = 1.0
      # The label of all samples of a recording; its value is the kind of the cause.
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

      # Begins.
      def start
        reopen
        Work.observer = @work
        @thread = OwnThread.start("rperf recorder") { run }
      end

      # Asks for a recording, without waiting for it: any thread may, and a signal handler.
      def record(cause) = request { make(cause) }

      # Makes a recording. Returns the names of its files, [] where it goes to the agent. Raises
      # Rperf::Error where there is none.
      def record!(cause) = ask { make(cause) }

      # What was recorded in the last seconds: a Native::Profile of each mode. Raises Rperf::Error
      # where there is none.
      def past(seconds)
        ask do
          collect
          @window.profiles(now, seconds) or nothing
        end
      end

      # The Directory; nil where recordings go to the agent.
      def place = (@directory ||= directory(@settings.default_directory) unless @directory.nil? && agent?)

      # See Recorder.status.
      def status
        {session: @session.open?, problem: @session.problem, window: @settings[:window], seconds: @window.seconds.round(1),
         bytes: @window.bytes, given_up: @window.given_up, made: @made, refused: @refused.dup, failed: @failed, last_error: @last_error}
      end

      # Ends.
      def stop
        Work.observer = nil if Work.observer.equal?(@work)
        @requests.close
        @thread.join(LAST) || @thread.kill.join(LAST)
        @session.close
      end

      private

      def directory(path) = Directory.new(path, keep: @settings[:keep], ending: @settings[:ending])

      def agent? = defined?(Agent.running?) && Agent.running?

      # Until the queue is closed, and empty.
      def run
        @look_at = now + LOOK
        until @requests.closed? && @requests.empty?
          @requests.pop(timeout: [@look_at - now, 0].max)&.call
          attempt { look } if now >= @look_at
        end
      end

      def look
        @look_at = now + LOOK
        collect if now >= @collect_at || @session.ended?
        @watches.each { |watch| attempt { watch.look&.then { |cause| make(cause) } } }
      end

      # What the session has since the last time becomes a segment.
      def collect
        @collect_at = now + SEGMENT
        profiles = @session.take
        add(profiles) if profiles
        reopen unless @session.open?
      end

      # What there is of the last session stays until there is something of the next one, which has
      # threads of its own.
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

      # All of the window, the samples of the unit apart.
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

      # Runs the block on the thread of the recorder.
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

      # Without waiting for it.
      def request(&block)
        @requests << -> { attempt(&block) }
      rescue ClosedQueueError
        nil # The recorder ends.
      end

      # The program sees nothing of what fails here but a line, once.
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

    # Recordings are rare.
    class Refused < Error; end
  end
end
