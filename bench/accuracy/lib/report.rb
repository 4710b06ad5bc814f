# frozen_string_literal: true

require_relative "outcome"

module Accuracy
  # Prints the outcomes: a line for each, a mean for each sampler and circumstance, and tables as
  # Markdown.
  class Report
    attr_reader :outcomes

    def initialize(outcomes)
      @outcomes = outcomes
    end

    def self.line(outcome, details: false)
      verdict = outcome.faults.empty? ? "ok" : outcome.faults.join("; ")
      line = format("%-9s %-6s %-5s %-12s %-46s %6.2f %%  %s", outcome.sampler, outcome.circumstance.name, outcome.mode,
                    outcome.machine, outcome.title, outcome.error * 100, [verdict, *outcome.notes].join("; "))
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

    # {[sampler, circumstance] => fraction}, of the cases that count in the mean.
    def means
      @outcomes.select(&:in_mean?).group_by { |outcome| [outcome.sampler, outcome.circumstance] }.transform_values { |outcomes| mean_of(outcomes) }
    end

    # One line for each mean.
    def mean_lines
      means.map do |(sampler, circumstance), mean|
        format("%-9s %-6s mean error %.2f %% (bar: %.1f %%)", sampler, circumstance.name, mean * 100, circumstance.mean_bar * 100)
      end
    end

    # Whether the sampler keeps every bar in every circumstance.
    def passed?(sampler)
      own = @outcomes.select { |outcome| outcome.sampler == sampler }
      own.any? && own.all? { |outcome| outcome.faults.empty? } && means_kept?(sampler)
    end

    # A section for each circumstance. Rows: cases; columns: sampler, mode and machine. Errors in
    # percent.
    def markdown
      @outcomes.group_by(&:circumstance).map { |circumstance, outcomes| section(circumstance, outcomes) }.join("\n\n")
    end

    private

    def means_kept?(sampler)
      means.all? { |(name, circumstance), mean| name != sampler || mean <= circumstance.mean_bar }
    end

    def section(circumstance, outcomes)
      bar = format("%.1f", circumstance.mean_bar * 100)
      head = "## #{circumstance.name}: #{circumstance.title}\n\nBar for the mean: #{bar} %, both modes together."
      [head, table(outcomes), missed(circumstance, outcomes)].compact.join("\n\n")
    end

    # The bars that the first sampler, the judged one, has missed; nil where it kept all.
    def missed(circumstance, outcomes)
      judged = @outcomes.first.sampler
      faults = outcomes.select { |outcome| outcome.sampler == judged }
        .flat_map { |outcome| outcome.faults.map { |fault| "* #{outcome.title}, #{outcome.mode}, #{outcome.machine}:\n  #{fault}" } }
      mean = means.fetch([judged, circumstance], 0)
      faults << "* the mean: #{percent(mean)} %" if mean > circumstance.mean_bar
      "Missed:\n\n#{faults.join("\n")}" if faults.any?
    end

    def table(outcomes)
      columns = outcomes.group_by { |outcome| column(outcome) }
      rows = outcomes.group_by(&:title).map { |title, of_case| row(title, columns.keys, of_case) }
      means = columns.values.map { |of_column| percent(mean_of(of_column.select(&:in_mean?))) }
      lines = [["case", *columns.keys], ["---", *columns.map { "---:" }], *rows, ["**mean**", *means]]
      lines.map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
    end

    def column(outcome) = "#{outcome.sampler}, #{outcome.mode}, #{outcome.machine}"

    def row(title, columns, outcomes)
      cells = columns.map do |column|
        outcomes.select { |outcome| column(outcome) == column }.map { |outcome| cell(outcome) }.join(", ")
      end
      [title, *cells]
    end

    def cell(outcome)
      return "failed" if outcome.failed?
      return percent(outcome.error) unless outcome.sampler == "rbspy"

      "#{percent(outcome.error)} (#{percent(outcome.error_of_shares)})"
    end

    def mean_of(outcomes) = outcomes.empty? ? 0.0 : outcomes.sum(&:error) / outcomes.size
    def percent(fraction) = format("%.2f", fraction * 100)
  end
end
