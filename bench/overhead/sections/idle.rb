# frozen_string_literal: true

require_relative "../lib/table"
require_relative "../lib/variant"

module Overhead
  module Sections
    # Number of wake-ups of a process whose threads all sleep.
    class Idle
      SLEEPERS = 10

      def initialize(rounds:, quick:)
        @seconds = quick ? 1.0 : 5.0
      end

      def title = "Idle: #{SLEEPERS} sleeping threads, wake-ups (voluntary context switches of all threads) a second"

      def tables
        rows = variants.map { |variant| [variant.name, format("%.1f", wake_ups_per_second(variant))] }
        [Table.markdown(["", "wake-ups a second"], rows)]
      end

      private

      def variants
        [Variant.nothing, Variant.rperf(:wall), Variant.rperf(:cpu), Variant.rperf(:wall, signal: false), Variant.bare(:worker)]
      end

      def wake_ups_per_second(variant)
        sleepers = Array.new(SLEEPERS) { Thread.new { sleep } }
        Thread.pass until sleepers.all?(&:stop?)
        count, = variant.around { count_while_asleep }
        count / @seconds
      ensure
        sleepers.each(&:kill).each(&:join)
      end

      # Sleeps first, so that threads that were just started come to rest.
      def count_while_asleep
        sleep 0.2
        before = switches
        sleep @seconds
        switches - before
      end

      def switches
        Dir["/proc/self/task/*/status"].sum do |file|
          File.read(file)[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i
        rescue Errno::ENOENT, Errno::ESRCH
          0 # the thread ended meanwhile
        end
      end
    end
  end
end
