# frozen_string_literal: true

require_relative "begun"
require_relative "forks"
require_relative "recorder/cause"
require_relative "recorder/keeper"
require_relative "recorder/settings"

module Rperf
  # The flight recorder: keeps what was recorded of the last minute in memory, and writes it to a
  # file, a recording, when something is worth it.
  #
  #   Rperf::Recorder.start(directory: "tmp/recordings")
  #   Rperf.dump(reason: "checksum mismatch")
  #
  # Nothing of it stops or changes the program.
  module Recorder
    @keeper = @settings = nil

    class << self
      # Starts the recorder of this process, and of the processes that it forks.
      #
      # window:    how many seconds a recording has, 10 to 600 (60)
      # slow:      a recording of a unit of work (Rperf.work; a request, a job) that took so many
      #            seconds, 0.001 to 86,400; false: none (2.0)
      # times_p95: the same that took so many times what 95 % of its name take, 1.1 to 1000, where
      #            200 have ended before (false)
      # stuck:     the same that is still open after so many seconds, 1 to 86,400; false: none (30)
      # exception: the same that an exception of this class has left: a Class or its name, or an
      #            Array of these (none)
      # gc:        a recording where the collector took so many seconds of one second, 0.01 to 60;
      #            false: none (0.5)
      # directory: where recordings go: a directory of this user's own, which is made. nil: to the
      #            agent's destinations, with the label `recording`, where an agent runs; else
      #            tmp/recordings
      # keep:      so many recordings stay in the directory, 1 to 10,000 (20)
      # ending:    that of the files, which says the format (".pb.gz")
      # mode:, frequency:, timeline: of the session that it starts where none runs (:both, 99,
      #            false). With timeline: true samples keep their moments, and the ending is
      #            .json.gz
      #
      # Returns nil. One that the environment has started ends. Raises ArgumentError with one
      # sentence for a wrong value; Rperf::Error where the directory cannot be used, where it runs
      # already, or in another Ractor than the main one.
      def start(**keywords)
        raise Error, "Rperf::Recorder.start works in the main Ractor only: call it there" unless Ractor.main?
        settings = Settings.new(**keywords)
        stop if @by_environment
        run(settings)
      end

      # The same as RPERF_RECORDER says. What is wrong there is one line on stderr.
      def start_from_env(env = ENV)
        settings = Settings.from_text(env["RPERF_RECORDER"].to_s, "RPERF_RECORDER")
        return if settings.nil? || @keeper
        run(settings)
        @by_environment = true
      rescue StandardError => error
        complain(error)
      end

      # Ends it; a session that it started ends, too. A recording that is being made has a second.
      def stop
        @keeper&.stop
        @keeper = @settings = @by_environment = nil
      end

      # How it is: a Hash; nil where it does not run.
      def status = @keeper&.status

      # See Rperf.dump.
      def dump(reason: nil)
        @keeper&.record(Cause.called(:call, reason))
        !@keeper.nil?
      end

      # The Keeper. Raises Rperf::Error where the recorder does not run.
      def keeper
        @keeper or raise NoRecorder
      end

      # In a process that goes on after a fork.
      def begin_anew
        settings, @keeper, @starting = @settings, nil, nil
        run(settings) if settings
      rescue StandardError => error
        complain(error)
      end

      private

      # (Another thread may start one meanwhile.)
      def run(settings)
        raise Error, "the recorder runs already: stop it with Rperf::Recorder.stop before you start another" if @keeper || @starting
        @starting = true
        begin
          keeper = Keeper.new(settings)
          keeper.start
          @keeper, @settings = keeper, settings
        ensure
          @starting = nil
        end
        install
        nil
      end

      def install
        return if @installed
        @installed = true
        Forks.watch(self)
        at_exit { stop }
      end

      def complain(error) = Error.complain("the recorder does not run: #{error.message}")
    end
  end
end
