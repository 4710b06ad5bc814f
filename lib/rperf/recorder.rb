# frozen_string_literal: true

require_relative "begun"
require_relative "forks"
require_relative "recorder/cause"
require_relative "recorder/keeper"
require_relative "recorder/settings"

module Rperf
  # The flight recorder: keeps the samples of the last minute in memory, and writes them to a file,
  # a recording, when a trigger fires.
  #
  #   Rperf::Recorder.start(directory: "tmp/recordings")
  #   Rperf.dump(reason: "checksum mismatch")
  #
  # It never stops or changes the program.
  module Recorder
    @keeper = @settings = nil

    class << self
      # Starts the recorder of this process, and of the processes that it forks.
      #
      # window:    length of a recording in seconds, 10 to 600 (60)
      # slow:      makes a recording of a unit of work (Rperf.work; a request, a job) that took
      #            `slow` seconds, 0.001 to 86,400; false: none (2.0)
      # times_p95: of a unit that took `times_p95` times the 95th percentile of its name, 1.1 to
      #            1000, if 200 have ended before (false)
      # stuck:     of a unit that is still open after `stuck` seconds, 1 to 86,400; false: none (30)
      # exception: of a unit that an exception of this class has left: a Class or its name, or an
      #            Array of these (none)
      # gc:        makes a recording when the collector took `gc` seconds of one second, 0.01 to 60;
      #            false: none (0.5)
      # directory: where recordings go: a directory of this user's own, which is made. nil: to the
      #            agent's destinations, with the label `recording`, if an agent runs; otherwise
      #            tmp/recordings
      # keep:      maximum number of recordings in the directory, 1 to 10,000 (20)
      # ending:    ending of the files, which determines the format (".pb.gz")
      # mode:, frequency:, timeline: of the session that it starts if none runs (:both, 99, false).
      #            With timeline: true samples keep their moments, and the ending is .json.gz
      #
      # Returns nil. Replaces a recorder that the environment has started. Raises ArgumentError with
      # one sentence for an invalid value; Rperf::Error if the directory cannot be used, if the
      # recorder runs already, or in a Ractor other than the main one.
      def start(**keywords)
        raise Error, "Rperf::Recorder.start works in the main Ractor only: call it there" unless Ractor.main?
        settings = Settings.new(**keywords)
        stop if @by_environment
        run(settings)
      end

      # Starts the recorder as RPERF_RECORDER says. An error there is one line on stderr.
      def start_from_env(env = ENV)
        settings = Settings.from_text(env["RPERF_RECORDER"].to_s, "RPERF_RECORDER")
        return if settings.nil? || @keeper
        run(settings)
        @by_environment = true
      rescue StandardError => error
        complain(error)
      end

      # Stops the recorder and a session that it started. A recording in progress has one second.
      def stop
        @keeper&.stop
        @keeper = @settings = @by_environment = nil
      end

      # Returns the recorder's state, a Hash; nil if it does not run.
      def status = @keeper&.status

      # Requests a recording: see Rperf.dump.
      def dump(reason: nil)
        @keeper&.record(Cause.called(:call, reason))
        !@keeper.nil?
      end

      # Returns the Keeper. Raises Rperf::Error if the recorder does not run.
      def keeper
        @keeper or raise NoRecorder
      end

      # Starts anew, in a process that continues after a fork.
      def begin_anew
        settings, @keeper, @starting = @settings, nil, nil
        run(settings) if settings
      rescue StandardError => error
        complain(error)
      end

      private

      # (Another thread may start a recorder meanwhile.)
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
