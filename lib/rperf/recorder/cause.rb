# frozen_string_literal: true

module Rperf
  module Recorder
    # Maximum characters of the text of a Cause that a caller has given.
    LONGEST_REASON = 200

    # The reason for a recording.
    #
    # kind: :call, :control, :gc, :slow, :stuck, :exception; it is part of the name of the file, and
    #       the label's value
    # text: a sentence without a full stop
    # unit: the Unit that caused it, or nil
    Cause = Data.define(:kind, :text, :unit) do
      def initialize(kind:, text:, unit: nil) = super

      # Returns the Cause of a recording that was asked for. reason: a text, or nil
      def self.called(kind, reason)
        text = reason.to_s.scrub.gsub(/[[:cntrl:]]+/, " ").strip[0, LONGEST_REASON]
        new(kind:, text: text.empty? ? "it was asked for" : text)
      end

      # Returns the comment for the profile, with the moment.
      def comment(time) = "recording (#{kind}) at #{time.iso8601(3)}: #{text}"
    end

    # Label of the samples of the unit that caused a recording.
    UNIT_LABEL = "unit"

    # A unit of work: the label of its samples, the system's number of its thread, and when it
    # began, in seconds of the monotonic clock.
    Unit = Data.define(:key, :name, :thread, :began) do
      # Returns a Native::Profile with a further label on the unit's samples. (Samples of another
      # unit of its name on its thread, which ended just before it, may have the label, too.)
      def mark(profile, text) = profile.marked_where(thread, key.to_s, name, UNIT_LABEL, text)
    end
  end
end
