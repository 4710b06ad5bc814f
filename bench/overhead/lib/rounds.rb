# frozen_string_literal: true

require_relative "variant"

module Overhead
  # Runs the same work under each variant, round after round, so that what slows the machine for a
  # while slows them all. Each round has another order, by chance: what a variant leaves behind
  # (caches, the scheduler's and the processor's memory of it) meets each of the others now and
  # then. Where one always followed the same other, it had up to 250 ns a switch of that.
  class Rounds
    # CPU of the whole process and wall time, ns, of one run of the work.
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

    # Garbage of the round before is not this one's cost.
    def measure
      GC.start
      cpu = Workloads.process_cpu_ns
      wall = Workloads.monotonic_ns
      yield
      Cost.new(Workloads.process_cpu_ns - cpu, Workloads.monotonic_ns - wall)
    end
  end
end
