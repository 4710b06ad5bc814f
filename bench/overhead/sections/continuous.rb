# frozen_string_literal: true

require "tmpdir"
require "rperf/agent"
require_relative "cpu_bound"

module Overhead
  module Sections
    # Cost of the agent for CPU-bound code: both clocks at the agent's frequency, and a profile to a
    # file each PERIOD seconds. (The agent's default is one a minute.)
    class Continuous < CpuBound
      HZ = 99
      PERIOD = 5

      def initialize(rounds:, quick:)
        super
        @piece_s = quick ? 0.5 : PERIOD
      end

      def title
        "Continuous, #{HZ} Hz, both clocks, a profile each #{PERIOD} s: medians of #{@rounds} interleaved rounds of #{@piece_s} s, [quartiles] (bars: 0.5 % CPU, 0.2 % wall)"
      end

      def tables
        calls = calls_of_a_piece
        Dir.mktmpdir { |directory| [compared(variants(directory)) { at_depth(DEPTHS.first) { work(calls) } }] }
      end

      private

      def heads = ["", "process CPU above nothing", "wall above nothing"]

      def row(name, costs, all) = [name, *%i[cpu wall].map { |clock| above(costs, all.fetch("nothing"), clock) }]

      def variants(directory)
        push = "file:#{File.join(directory, "%t-%m.pb.gz")}"
        start = lambda do
          Rperf::Agent.start(push:, mode: "both", wall: "all", frequency: HZ, period: PERIOD, logger: Silence.new)
          # The agent's session begins on a thread of its own.
          Thread.pass until Rperf::Agent.status[:session]
        end
        [Variant.nothing, Variant.bare(:worker, hz: HZ), Variant.rperf(:cpu, hz: HZ), Variant.rperf(:both, hz: HZ),
         Variant.new("agent", start:, stop: -> { Rperf::Agent.stop })]
      end

      # A logger that prints nothing.
      class Silence
        def info(_line) = nil
        alias warn info
      end
    end
  end
end
