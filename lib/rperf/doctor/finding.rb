# frozen_string_literal: true

module Rperf
  module Doctor
    # A finding about one subject.
    #
    # subject: a word or two
    # verdict: :ok; :note, if profiles are coarser or dearer; :bad, if they are wrong or impossible
    # text:    a sentence
    # advice:  what to do, or nil
    Finding = Data.define(:subject, :verdict, :text, :advice) do
      # Returns a finding that needs nothing to be done.
      def self.ok(subject, text) = new(subject:, verdict: :ok, text:, advice: nil)

      # Returns a finding that users should know.
      def self.note(subject, text, advice = nil) = new(subject:, verdict: :note, text:, advice:)

      # Returns a finding that must be mended before rperf is used.
      def self.bad(subject, text, advice) = new(subject:, verdict: :bad, text:, advice:)
    end
  end
end
