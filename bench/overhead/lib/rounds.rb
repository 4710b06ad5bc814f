# frozen_string_literal: true

require_relative "variant"

module Overhead
  # Runs the same work under each variant, round after round, so that a slow phase of the machine
  # affects all variants. Each round has a random order. So the after-effects of a variant (in
  # caches, in the states of the scheduler and of the processor) affect each other variant now and
  # then. In a fixed order, a variant had up to 250 ns a switch from the one before it.
  class Rounds
    # CPU time of the whole process, and wall time, of one run of the work, in ns.
    Cost = Struct.new(:cpu, :wall)

    def initialize(variants, rounds:)
      @variants = variants
      @rounds = rounds
    end

    # {variant name => [Cost, ...]} and {variant name => [what its stop returned, ...]}, each in
    # order of rounds.
    def run(&work)
      costs, stops = Array.new(2) { @variants.to_h { |variant| [variant.name, []] } }
      chance = Random.new(1)
      work.call
      @rounds.times do
        @variants.shuffle(random: chance).each do |variant|
          cost, stopped = variant.around { measure(&work) }
          costs[variant.name] << cost
          stops[variant.name] << stopped
        end
      end
      [costs, stops]
    end

    private

    # Collects the garbage of the round before first, which is no cost of this one.
    def measure
      GC.start
      cpu = Workloads.process_cpu_ns
      wall = Workloads.monotonic_ns
      yield
      Cost.new(Workloads.process_cpu_ns - cpu, Workloads.monotonic_ns - wall)
    end
  end
end
