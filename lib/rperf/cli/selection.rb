# frozen_string_literal: true

require_relative "../profile_report"
require_relative "failure"

module Rperf
  class CLI
    # The part of a Subject that the filters of a command leave, for views that are not text.
    class Selection
      FILTERS = %i[focus ignore hide show mine tagfocus tagignore tagroot tagleaf].freeze
      OPTIONS = [*FILTERS, :unit, :idle].freeze

      # Whether the time in which threads waited for work counts.
      def idle? = @idle

      # values: the values of the command's options. Raises Failure when one makes no sense.
      def initialize(values)
        @active = FILTERS.any? { |name| values[name] }
        @idle = values.fetch(:idle, false)
        @report = ProfileReport.new(values.slice(*OPTIONS).merge(view: :top))
      rescue ArgumentError => error
        raise Failure.usage(error.message)
      end

      # Whether filters leave a part of the profile.
      def active? = @active

      # Returns the filtered profile of a Subject, and the filtered base if there is one.
      # fold: whether the time in which threads waited for work is left out, unless `values` has
      #   idle. That comes before the filters, as in views that are text.
      def of(subject, fold: false)
        parts = [subject.profile, *subject.base]
        parts = subject.complete { parts.first.without_idle(parts[1]).compact } if fold && !@idle
        return parts unless @active || parts.any?(&:leaf_labels?)
        selected, unmatched = subject.complete { parts.map { |part| @report.select(part) }.transpose }
        subject.tell_unmatched(unmatched.reduce(:&))
        selected
      end

      # Returns a line for each function that grew by more than `percent` of the base's total and
      # beyond chance, and a line about growth that chance explains, or nil.
      def growth(subject, percent)
        base, target = subject.base, subject.target
        lines, by_chance, unmatched, gone = subject.complete { @report.growth(target, base, percent) }
        subject.tell_unmatched(unmatched)
        subject.tell_gone if gone
        [lines, by_chance]
      end
    end
  end
end
