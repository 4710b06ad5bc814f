# frozen_string_literal: true

module Rperf
  module Recorder
    # Why there is a recording.
    #
    # kind: :call, :control, :gc, :slow, :stuck, :exception; it is part of the name of the file, and
    #       the label's value
    # text: a sentence without a full stop
    # unit: the Unit that caused it, or nil
    Cause = Data.define(:kind, :text, :unit) do
      def initialize(kind:, text:, unit: nil) = super

      # It was asked for. reason: a text, or nil
      def self.called(kind, reason)
        text = reason.to_s.scrub.gsub(/[[:cntrl:]]+/, " ").strip[0, self::LONGEST]
        new(kind:, text: text.empty? ? "it was asked for" : text)
      end

      # What the profile says, with the moment.
      def comment(time) = "recording (#{kind}) at #{time.iso8601(3)}: #{text}"
    end

    # The label of the samples of the unit that caused a recording.
    UNIT_LABEL = "unit"

    # A unit of work: the label that its samples have, the system's number of its thread, and when
    # it began, in seconds of the monotonic clock.
    Unit = Data.define(:key, :name, :thread, :began) do
      # A Native::Profile, the samples of the unit with a further label. (Those of another unit of
      # its name on its thread, which ended just before it, may be among them.)
      def mark(profile, text) = profile.marked_where(thread, key.to_s, name, UNIT_LABEL, text)
    end

    # Characters of a reason.
    Cause::LONGEST = 200
  end
end
