# frozen_string_literal: true

# Runs one case under one profiler and writes the true and the reported costs, as JSON:
#   ruby child.rb '{"name": CASE, "mode": "cpu" or "wall", "seconds": N, "most_seconds": N,
#                   "hz": N, "circumstance": NAME, "sampler": NAME}' RESULT_FILE
# The sampler is "tick", "beside", "safepoint", "oracle" or "external".
# bench/accuracy/run starts it, with --yjit or without.

require "json"
require_relative "../workloads/workloads"
require_relative "lib/attribution"
require_relative "lib/case"
require_relative "lib/chance"
require_relative "lib/circumstance"
require_relative "lib/samplers"

module Accuracy
  # A run of one case in this process.
  class Child
    WARM_UP_S = 0.3
    # Part of a case's bar that chance may use up.
    PART_OF_CHANCE = 1 / 3.0

    def initialize(name:, mode:, seconds:, most_seconds:, hz:, circumstance:, sampler:)
      Workloads.clock = mode.to_sym
      @type = Case.all.fetch(name)
      @subject = @type.new
      @subject.circumstance = Circumstance::ALL.fetch(circumstance)
      @bar = @type.bar_in(@subject.circumstance)
      @seconds = seconds..most_seconds
      @hz = hz
      @external = sampler == "external"
      @sampler = make_sampler(sampler, mode: mode.to_sym, hz:)
    end

    def run
      # An external profiler samples the warm-up, too, so there it counts.
      sleep Samplers::External::HEAD_START_S if @external
      warm_up
      seconds = long_enough
      @subject.reset unless @external
      found = @subject.profile(@sampler, seconds)
      found ? comparison(found, seconds) : { truth: @subject.truth_alone }
    end

    private

    def make_sampler(name, mode:, hz:)
      case name
      when "tick" then Samplers::Rperf.new(mode:, hz:, signal: nil)
      when "beside" then Samplers::Rperf.new(mode: [mode, *(%i[cpu wall] - [mode]), :alloc], hz:, signal: nil)
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

    # Returns the seconds on the clock of the mode after which chance takes no more than its part of
    # the bar, by the shares that the warm-up found.
    def long_enough
      needed = Chance.new(@subject.truth_alone).ticks_for(@bar * PART_OF_CHANCE) / @hz.to_f
      needed.clamp(@seconds)
    end

    def comparison(found, seconds)
      attribution = Attribution.new(samples: found[:samples], measured: @type.measured,
                                    one_thread_each: @type.one_thread_each,
                                    label_sets: found[:label_sets], label_key: @type.label_key)
      { truth: @subject.truth(attribution), reported: @subject.reported(attribution), sampler: found[:sampler],
        dropped: found[:dropped], checks: @subject.checks(attribution).map(&:to_h),
        seconds: { wanted: seconds, spent: @subject.spent } }
    end
  end
end

options, result_file = ARGV
child = Accuracy::Child.new(**JSON.parse(options, symbolize_names: true))
File.write(result_file, JSON.generate(child.run))
