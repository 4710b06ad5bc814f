# frozen_string_literal: true

module Rperf
  module Doctor
    # What was found about one subject.
    #
    # subject: a word or two
    # verdict: :ok; :note, what makes profiles coarser or dearer; :bad, what makes them wrong or
    #          impossible
    # text:    a sentence
    # advice:  what to do, or nil
    Finding = Data.define(:subject, :verdict, :text, :advice) do
      # One where nothing is to be done.
      def self.ok(subject, text) = new(subject:, verdict: :ok, text:, advice: nil)

      # One of which users should know.
      def self.note(subject, text, advice = nil) = new(subject:, verdict: :note, text:, advice:)

      # One that must be mended first.
      def self.bad(subject, text, advice) = new(subject:, verdict: :bad, text:, advice:)
    end
  end
end
