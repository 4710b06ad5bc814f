# frozen_string_literal: true

require "json"
require_relative "../doctor"
require_relative "../terminal_lines"
require_relative "../version"
require_relative "runner"
require_relative "terminal"

module Rperf
  class CLI
    # `rperf doctor`: shows what rperf can do with this Ruby on this machine.
    class Doctor < Runner
      # Exit status when a finding is bad: it makes profiles wrong or impossible.
      BAD = 1

      # Prints the findings; returns the exit status.
      def call
        raise Failure.usage("'rperf doctor' takes no arguments, but got '#{@words.first}'") if @words.any?
        findings = Rperf::Doctor.findings
        $stdout.puts(@values[:json] ? json(findings) : lines(findings))
        findings.any? { |finding| finding.verdict == :bad } ? BAD : 0
      end

      private

      def json(findings)
        JSON.pretty_generate({rperf: VERSION, ruby: RUBY_DESCRIPTION, findings: findings.map(&:to_h)})
      end

      def lines(findings)
        width, columns = findings.map { |finding| finding.subject.length }.max, Terminal.new.columns
        findings.flat_map do |finding|
          head = "#{finding.verdict.to_s.ljust(4)}  #{finding.subject.ljust(width)}  "
          texts = {head => finding.text, " " * head.length => finding.advice}.compact
          texts.map { |before, text| TerminalLines.hanging(before, text, columns) }
        end
      end
    end
  end
end
