# frozen_string_literal: true

require_relative "outcome"

module Accuracy
  # Prints the outcomes: a line for each, a mean for each sampler, and a table as Markdown.
  class Report
    # The largest mean error allowed, a fraction.
    MEAN_BAR = 0.015

    attr_reader :outcomes

    def initialize(outcomes)
      @outcomes = outcomes
    end

    def self.line(outcome, details: false)
      verdict = outcome.faults.empty? ? "ok" : outcome.faults.join("; ")
      line = format("%-9s %-5s %-12s %-32s %6.2f %%  %s", outcome.sampler, outcome.mode, outcome.machine,
                    outcome.title, outcome.error * 100, verdict)
      details && !outcome.failed? ? [line, *self.details(outcome)].join("\n") : line
    end

    def self.details(outcome)
      comparison = outcome.comparison
      methods = comparison.truth.map do |name, ns|
        reported = comparison.reported.fetch(name, 0)
        format("    %-24s true %9.2f ms  reported %9.2f ms  %+8.2f ms", name, ns / 1e6, reported / 1e6, (reported - ns) / 1e6)
      end
      methods + outcome.checks.map { |check| "    #{check}" } + outcome.dropped.map { |cause, lost| "    dropped, #{cause}: #{lost}" }
    end

    def means
      @outcomes.group_by(&:sampler).transform_values { |outcomes| outcomes.sum(&:error) / outcomes.size }
    end

    # True when rperf's own sampler keeps every bar.
    def passed?(sampler)
      own = @outcomes.select { |outcome| outcome.sampler == sampler }
      own.any? && own.all? { |outcome| outcome.faults.empty? } && means.fetch(sampler) <= MEAN_BAR
    end

    # Rows: cases; columns: sampler, mode and machine. Errors in percent.
    def markdown
      columns = @outcomes.map { |outcome| column(outcome) }.uniq
      rows = @outcomes.group_by(&:title).map { |title, outcomes| row(title, columns, outcomes) }
      mean = columns.map { |column| percent(mean_of(@outcomes.select { |outcome| column(outcome) == column })) }
      table = [["case", *columns], ["---", *columns.map { "---:" }], *rows, ["**mean**", *mean]]
      table.map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
    end

    private

    def column(outcome) = "#{outcome.sampler}, #{outcome.mode}, #{outcome.machine}"

    def row(title, columns, outcomes)
      cells = columns.map do |column|
        of_column = outcomes.select { |outcome| column(outcome) == column }
        of_column.empty? ? "" : of_column.map { |outcome| cell(outcome) }.join(", ")
      end
      [title, *cells]
    end

    def cell(outcome)
      return "failed" if outcome.failed?
      return percent(outcome.error) unless outcome.sampler == "rbspy"

      "#{percent(outcome.error)} (#{percent(outcome.error_of_shares)})"
    end

    def mean_of(outcomes) = outcomes.sum(&:error) / outcomes.size
    def percent(fraction) = format("%.2f", fraction * 100)
  end
end
