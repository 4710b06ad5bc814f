# frozen_string_literal: true

require "minitest"

# Counts the results of a minitest run and the time of each file, and reports what minitest accepts:
# that nothing ran, or that a test was skipped.
class Tally < Minitest::AbstractReporter
  # Maximum number of characters of a line about a failure.
  FAILURE_LENGTH = 400
  # Maximum number of slow files that are listed, and the minimum seconds of a listed file.
  SLOWEST = 10
  SLOW = 1.0

  def initialize
    super
    @results = []
    @seconds = Hash.new { |files, file| files[file] = {wall: 0.0, cpu: 0.0} }
  end

  # Called by minitest before each test.
  def prerecord(_class, _name) = @cpu = cpu_seconds

  # Called by minitest after each test.
  def record(result)
    @results << result
    seconds = @seconds[result.source_location.first]
    seconds[:wall] += result.time
    seconds[:cpu] += cpu_seconds - @cpu
  end

  # @return [Array<String>] one sentence for each reason why the run does not count as passed
  def problems
    skipped = @results.select(&:skipped?).map { |result| "#{result.location} was skipped: run it or remove it" }
    @results.empty? ? ["no test ran"] : skipped
  end

  # @return [Array<String>] a line for each failure, with its reason; problems has skipped tests
  def failures
    @results.reject { |result| result.passed? || result.skipped? }.map do |result|
      failure = result.failure
      "#{result.klass}##{result.name} [#{failure.location}]: #{failure.message}".gsub(/\s+/, " ")[0, FAILURE_LENGTH]
    end
  end

  # @return [Array<String>] a line for each of the slowest files. The CPU time is that of this
  #   process and of the programs that have ended. That of a program that still runs counts for a
  #   later file.
  def slowest_files
    slow = @seconds.select { |_, seconds| seconds[:wall] >= SLOW }.max_by(SLOWEST) { |_, seconds| seconds[:wall] }
    slow.map { |file, seconds| format("%6.1f s, %6.1f s of CPU time: %s", *seconds.values, File.basename(file)) }
  end

  # @return [String] the counts, for the summary of bin/test
  def to_s
    failed = @results.count { |result| !result.passed? }
    "#{@results.size} tests, #{@results.sum(&:assertions)} assertions, #{failed} not passed"
  end

  private

  def cpu_seconds = Process.times.to_a.sum
end
