# frozen_string_literal: true

require_relative "../errors"
require_relative "../web/headers"
require_relative "../web/response"

module Rperf
  module Control
    # The recordings of this process's recorder. Nothing here starts a recorder.
    module Recordings
      # Path below which each recording has its own.
      PATH = "/recordings/"
      # Number of seconds that stands for everything that is kept.
      ALL = Float::INFINITY

      class << self
        # Whether the recorder runs.
        def any? = defined?(Recorder.status) && !Recorder.status.nil?

        # The Keeper of the recorder. Raises Rperf::Error where no recorder runs.
        def keeper = any? ? Recorder.keeper : raise(NoRecorder)

        # Response with the recordings in the recorder's directory, and its status, as JSON.
        def list = Web::Response.json({recordings: directory&.list || [], **keeper.status})

        # Makes a recording. The response names its files; without files, it went to the agent.
        def make(reason) = Web::Response.json({recordings: keeper.record!(Recorder::Cause.called(:control, reason))})

        # Response with the file of this path. Raises Web::Refusal where there is none.
        def file(path)
          name = path.delete_prefix(PATH)
          bytes = directory&.read(name) or raise Web::Refusal.new(404, "there is no such recording: GET /recordings lists them")
          Web::Response.new(200, Web::Headers.download(name), bytes)
        end

        private

        def directory = keeper.place
      end
    end
  end
end
