# frozen_string_literal: true

require_relative "background_part"
require_relative "begun"
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
    extend BackgroundPart

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
        start_by_program { Settings.new(**keywords) }
      end

      # Starts the recorder as RPERF_RECORDER says. An error there is one line on stderr.
      def start_from_env(env = ENV)
        start_by_environment { Settings.from_text(env["RPERF_RECORDER"].to_s, "RPERF_RECORDER") }
      end

      # Stops the recorder and a session that it started. A recording in progress has one second.
      # Raises Rperf::Error in a Ractor other than the main one.
      def stop
        Error.check_ractor("Rperf::Recorder.stop")
        @current&.stop
        forget
      end

      # Returns the recorder's state, a Hash; nil if it does not run.
      def status = @current&.status

      # Requests a recording: see Rperf.dump.
      def dump(reason: nil)
        @current&.record(Cause.called(:call, reason))
        !@current.nil?
      end

      # Returns the Keeper. Raises Rperf::Error if the recorder does not run.
      def keeper = @current || raise(NoRecorder)

      private

      def make(settings) = Keeper.new(settings)

      def give_way = stop

      def finish = stop
    end
  end
end
