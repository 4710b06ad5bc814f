# frozen_string_literal: true

require_relative "attribution"
require_relative "case"

module Accuracy
  # What one run of a case showed.
  class Outcome
    attr_reader :name, :mode, :machine, :sampler, :message

    def self.failed(message:, **about) = new(**about, result: nil, message:)

    # result: as child.rb writes it; nil when the process did not get that far.
    def initialize(name:, mode:, machine:, sampler:, result:, message: nil)
      @name = name
      @mode = mode
      @machine = machine
      @sampler = sampler
      @result = result
      @message = message
    end

    def title = type.title
    def failed? = @result.nil?

    # Fractions of the true total; 1.0 when the run failed.
    def error = failed? ? 1.0 : comparison.error
    def error_of_shares = failed? ? 1.0 : comparison.error_of_shares

    # What to hold against the run, as sentences; empty when it is within the bars.
    def faults
      return ["the run failed: #{message}"] if failed?

      [].tap do |faults|
        faults << format("error above %.1f %%", type.error_bar * 100) if error > type.error_bar
        faults.concat(checks.reject(&:ok?).map(&:to_s))
        faults << "it was sampled by #{@result[:sampler]}" if sampler == "tick" && @result[:sampler] != "tick"
      end
    end

    def comparison
      @comparison ||= Comparison.new(truth: @result[:truth], reported: @result[:reported])
    end

    def checks = (@result[:checks] || []).map { |check| Check.new(**check) }
    def dropped = @result[:dropped] || {}

    private

    def type = Case.all.fetch(name)
  end
end
