# frozen_string_literal: true

require_relative "variant"

module Overhead
  # Runs the same work under each variant, round after round (A B C, B C A, ...), so that what slows the
  # machine for a while slows them all.
  class Rounds
    # CPU of the whole process and wall time, ns, of one run of the work.
    Cost = Struct.new(:cpu, :wall)

    def initialize(variants, rounds:)
      @variants = variants
      @rounds = rounds
    end

    # {variant name => [Cost, ...]}, in order of rounds, and {variant name => [what its stop returned, ...]}.
    def run(&work)
      costs = Hash.new { |hash, name| hash[name] = [] }
      stops = Hash.new { |hash, name| hash[name] = [] }
      work.call
      @rounds.times do |round|
        @variants.rotate(round).each do |variant|
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
