# frozen_string_literal: true

require "objspace"
require_relative "../support/finalizer"

module Stress
  module Hazards
    # Objects that die in unusual ways: known by weak maps only, with finalizers that make others,
    # found while they wait to be swept, while the collector is off, beside other tools' hooks, in a
    # Ractor that collects, and where memory ends.
    class ObjectLives
      def run(deadline_ns)
        rounds = %i[weak finalized unswept uncollected watched told_by_another_ractor no_memory held].shuffle
        rounds.cycle do |round|
          break if Workloads.monotonic_ns > deadline_ns

          send(round)
        end
      end

      private

      def weak
        map = ObjectSpace::WeakMap.new
        keys = ObjectSpace::WeakKeyMap.new
        200.times { |number| map[+"key #{number}"] = Object.new.tap { |value| keys[[number]] = value } }
        GC.start(full_mark: false)
        map.keys.size + keys.inspect.size
      end

      def finalized
        50.times { ObjectSpace.define_finalizer(Object.new, Finalizer::ALLOCATING) }
        GC.start
      end

      def unswept
        found = []
        100.times { "x" * 100 }
        GC.start(immediate_sweep: false)
        ObjectSpace.each_object(String) { |text| found << text if text.start_with?("xxx") }
        found.each(&:hash)
      end

      def uncollected
        GC.disable
        2000.times { [+"a", {b: 1}] }
      ensure
        GC.enable
      end

      def watched
        ObjectSpace.trace_object_allocations { 200.times { ObjectSpace.allocation_sourceline(Object.new) } }
      end

      # Its TracePoint, and its collections.
      def told_by_another_ractor
        Ractor.new { TracePoint.new(:line) {}.enable { Array.new(2000) { |number| number.to_s } && GC.start } }.take
      end

      # (A Ruby that checks itself, RUBY_DEBUG=1, ends where another raises this error.)
      def no_memory
        "x" * (1 << 60) unless GC::INTERNAL_CONSTANTS[:RB_BUG_INSTEAD_OF_RB_MEMERROR]
      rescue NoMemoryError, ArgumentError
        [Object.new]
      end

      # References move from what is not marked yet to what is.
      def held
        old, young = Array.new(500) { Object.new }, []
        young << old.pop << +"y" * 3000 until old.empty?
      end
    end
  end
end
