# frozen_string_literal: true

require_relative "attribution"
require_relative "case"
require_relative "circumstance"

module Accuracy
  # The result of one run of a case.
  class Outcome
    # Names in a profile for the engine that the bench calls "tick".
    TICK = %w[tick poll].freeze
    # Part of the wanted time, on the mode's clock, below which a note is made.
    SHORT = 0.9

    attr_reader :name, :mode, :machine, :sampler, :circumstance, :message

    def self.failed(message:, **about) = new(**about, result: nil, message:)

    # result: as child.rb writes it; nil when the process did not get that far.
    def initialize(name:, mode:, machine:, sampler:, result:, circumstance: Circumstance::ALL.fetch("quiet"), message: nil)
      @name = name
      @mode = mode
      @machine = machine
      @sampler = sampler
      @circumstance = circumstance
      @result = result
      @message = message
    end

    def title = type.title
    def failed? = @result.nil?
    def in_mean? = type.in_mean?

    # Fractions of the true total; 1.0 when the run failed.
    def error = failed? ? 1.0 : comparison.error
    def error_of_shares = failed? ? 1.0 : comparison.error_of_shares

    # Faults of the run, as sentences; empty when it is within the bars.
    def faults
      return ["the run failed: #{message}"] if failed?

      bar = type.bar_in(circumstance)
      [].tap do |faults|
        faults << format("error above %.1f %%", bar * 100) if error > bar
        faults.concat(checks.reject(&:ok?).map(&:to_s))
        faults << "it was sampled by #{@result[:sampler]}" if %w[tick beside].include?(sampler) && !TICK.include?(@result[:sampler])
      end
    end

    # Further notes on the run, as sentences.
    def notes
      wanted, spent = @result&.fetch(:seconds, nil)&.values_at(:wanted, :spent)
      return [] unless wanted && spent < wanted * SHORT

      [format("it had %.1f s of %.1f s", spent, wanted)]
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
