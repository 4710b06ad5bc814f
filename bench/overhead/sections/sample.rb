# frozen_string_literal: true

require_relative "../lib/rounds"
require_relative "../lib/statistics"
require_relative "../lib/table"

module Overhead
  module Sections
    # Cost of one sample, by rperf's own count and by the CPU time of the process, beside that of a
    # bare walk of the stack.
    class Sample
      DEPTHS = [10, 200, 1000].freeze
      WALKS = 2_000

      def initialize(rounds:, quick:)
        @rounds = rounds
        @seconds = quick ? 0.1 : 0.5
      end

      def title = "One sample (cpu mode, 1000 Hz), medians of #{@rounds} rounds"

      def tables
        heads = ["depth", "bare rb_profile_frames, us", "rperf's own count, us a sample", "process CPU above nothing, us a sample"]
        [Table.markdown(heads, DEPTHS.map { |depth| row(depth) })]
      end

      private

      def row(depth)
        bare = at_depth(depth) { Workloads.profile_frames_ns(depth + 100, WALKS) }
        costs, stops = Rounds.new([Variant.nothing, Variant.rperf(:cpu)], rounds: @rounds).run { at_depth(depth) { burn } }
        datas = stops.fetch("rperf, cpu")
        above = costs.fetch("rperf, cpu").zip(costs.fetch("nothing"), datas).map do |own, nothing, data|
          (own.cpu - nothing.cpu) / samples(data).to_f
        end
        [depth, *[bare, Statistics.median(datas.map { |data| data[:sampling_time_ns] / samples(data).to_f }),
                  Statistics.median(above)].map { |ns| format("%.2f", ns / 1e3) }]
      end

      def samples(data) = [data.fetch(:sampling_count), 1].max

      # Fixed work, in Ruby so that there are safepoints.
      def burn
        @rounds_of_work ||= calibrate
        spin_in_ruby(@rounds_of_work)
      end

      def calibrate
        start = Workloads.thread_cpu_ns
        spin_in_ruby(1_000_000)
        (1_000_000 * @seconds * 1e9 / (Workloads.thread_cpu_ns - start)).ceil
      end

      def spin_in_ruby(left)
        left -= 1 while left.positive?
      end

      def at_depth(depth, &block) = depth.zero? ? block.call : at_depth(depth - 1, &block)
    end
  end
end
