# frozen_string_literal: true

require "zlib"

module Stress
  module Hazards
    # Memory comes and goes: buffers grow, shrink and are freed by other threads, with the GVL and
    # without, and child processes inherit what is recorded of them.
    class Memory
      def run(deadline_ns)
        kept = Thread::Queue.new
        threads = Array.new(2) { Thread.new { kept.clear while kept.pop } }
        until Workloads.monotonic_ns > deadline_ns
          kept << grown << shrunk << packed
          inherited if rand(20).zero?
        end
      ensure
        kept.close
        threads.each(&:join)
      end

      private

      def grown = Array.new(20) { |number| +"" << "x" * (number * 500) << "y" * (number * 900) }

      def shrunk = Array.new(2000).tap { |list| list.pop(1990) }.compact.push(*1..100)

      def packed = Zlib.inflate(Zlib.deflate("text" * 50_000))

      def inherited
        Process.wait(fork { exit!(grown.length) })
      end
    end
  end
end
