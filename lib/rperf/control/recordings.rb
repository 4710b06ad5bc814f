# frozen_string_literal: true

require "json"
require_relative "../errors"
require_relative "../web/headers"
require_relative "../web/response"

module Rperf
  module Control
    # What the recorder of this process has made. Nothing here starts one.
    module Recordings
      # The path of one is below it.
      PATH = "/recordings/"
      # Seconds: all that is kept.
      ALL = Float::INFINITY

      class << self
        # Whether the recorder runs.
        def any? = defined?(Recorder.status) && !Recorder.status.nil?

        # That of the recorder. Raises Rperf::Error where none runs.
        def keeper = any? ? Recorder.keeper : raise(NoRecorder)

        # The recordings in its directory, and how it is, as JSON.
        def list = json(recordings: directory&.list || [], **keeper.status)

        # Makes one. Says what its files are called; where there are none, it went to the agent.
        def make(reason) = json(recordings: keeper.record!(Recorder::Cause.called(:control, reason)))

        # The file of this path. Raises Web::Refusal where there is none.
        def file(path)
          name = path.delete_prefix(PATH)
          bytes = directory&.read(name) or raise Web::Refusal.new(404, "there is no such recording: GET /recordings lists them")
          Web::Response.new(200, Web::Headers.download(name), bytes)
        end

        private

        def directory = keeper.place

        def json(values) = Web::Response.new(200, Web::Headers::JSON, "#{JSON.pretty_generate(values)}\n")
      end
    end
  end
end
