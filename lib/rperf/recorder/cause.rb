# frozen_string_literal: true

module Rperf
  module Recorder
    # Why there is a recording.
    #
    # kind: :call, :control, :gc, :slow, :stuck, :exception; it is part of the name of the file, and
    #       the label's value
    # text: a sentence without a full stop
    Cause = Data.define(:kind, :text) do
      # It was asked for. reason: a text, or nil
      def self.called(kind, reason)
        text = reason.to_s.scrub.gsub(/[[:cntrl:]]+/, " ").strip[0, self::LONGEST]
        new(kind:, text: text.empty? ? "it was asked for" : text)
      end

      # What the profile says, with the moment.
      def comment(time) = "recording (#{kind}) at #{time.iso8601(3)}: #{text}"
    end
    # Characters of a reason.
    Cause::LONGEST = 200
  end
end
