# frozen_string_literal: true

require "minitest"

# Counts the results of a minitest run and says what minitest lets pass: nothing ran, or a test was
# skipped.
class Tally < Minitest::AbstractReporter
  # Characters of a line about a failure.
  FAILURE_LENGTH = 400

  def initialize
    super
    @results = []
  end

  # Called by minitest after each test.
  def record(result)
    @results << result
  end

  # @return [Array<String>] one sentence for each reason why the run does not count as passed
  def problems
    skipped = @results.select(&:skipped?).map { |result| "#{result.location} was skipped: run it or remove it" }
    @results.empty? ? ["no test ran"] : skipped
  end

  # @return [Array<String>] what failed and why, a line each; what was skipped is among the problems
  def failures
    @results.reject { |result| result.passed? || result.skipped? }.map do |result|
      failure = result.failure
      "#{result.klass}##{result.name} [#{failure.location}]: #{failure.message}".gsub(/\s+/, " ")[0, FAILURE_LENGTH]
    end
  end

  # @return [String] for the summary of bin/test
  def to_s
    failed = @results.count { |result| !result.passed? }
    "#{@results.size} tests, #{@results.sum(&:assertions)} assertions, #{failed} not passed"
  end
end
