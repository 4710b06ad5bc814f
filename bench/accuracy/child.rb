# frozen_string_literal: true

# Runs one case under one profiler and writes what was true and what was reported, as JSON:
#   ruby child.rb CASE cpu|wall SECONDS HZ tick|safepoint|oracle|external RESULT_FILE
# bench/accuracy/run starts it, with --yjit or without.

require "json"
require_relative "../workloads/workloads"
require_relative "lib/attribution"
require_relative "lib/case"
require_relative "lib/samplers"

module Accuracy
  # One case in this process.
  class Child
    WARM_UP_S = 0.3

    def initialize(name:, mode:, seconds:, hz:, sampler:)
      Workloads.clock = mode
      @type = Case.all.fetch(name)
      @subject = @type.new
      @seconds = seconds
      @external = sampler == "external"
      @sampler = make_sampler(sampler, mode:, hz:)
    end

    def run
      # An outside profiler sees the warm-up too, so there it counts.
      sleep Samplers::External::HEAD_START_S if @external
      warm_up
      @subject.reset unless @external
      found = @sampler.record { @subject.run(@seconds) }
      found ? comparison(found) : { truth: @subject.truth_alone }
    end

    private

    def make_sampler(name, mode:, hz:)
      case name
      when "tick" then Samplers::Rperf.new(mode:, hz:, signal: nil)
      when "safepoint" then Samplers::Rperf.new(mode:, hz:, signal: false)
      when "oracle" then Samplers::Oracle.new(@subject)
      when "external" then Samplers::External.new
      else abort "unknown sampler '#{name}'"
      end
    end

    def warm_up
      @subject.prepare
      @subject.run(WARM_UP_S)
    end

    def comparison(found)
      attribution = Attribution.new(samples: found[:samples], measured: @type.measured, one_thread_each: @type.one_thread_each)
      { truth: @subject.truth(attribution), reported: attribution.by_method, sampler: found[:sampler],
        dropped: found[:dropped], checks: @subject.checks(attribution).map(&:to_h) }
    end
  end
end

name, mode, seconds, hz, sampler, result_file = ARGV
child = Accuracy::Child.new(name:, mode: mode.to_sym, seconds: Float(seconds), hz: Integer(hz), sampler:)
File.write(result_file, JSON.generate(child.run))
