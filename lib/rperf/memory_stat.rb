# frozen_string_literal: true

require_relative "native"

module Rperf
  # The allocations of a process that samples objects, from the moment this object is made, and its
  # memory.
  class MemoryStat
    # Returns the key of the objects that were allocated in slots of this size in bytes.
    def self.key(slot_size) = :"slots_#{slot_size}"

    # Returns the sizes of slots in the figures.
    def self.slot_sizes(figures) = figures.keys.filter_map { |key| key[/\Aslots_(\d+)\z/, 1]&.to_i }

    # The shortest of each group of lifetimes, in collections, by which deaths are counted.
    LIFETIMES = [1, 2, 4, 8, 16, 32].freeze

    # Returns the key of the objects that died after this many collections, and before the next
    # number of LIFETIMES.
    def self.deaths_key(lifetime) = :"died_#{lifetime}"

    def initialize
      @before = allocated(GC.stat_heap.values)
    end

    # Returns the figures up to now, a Hash of Symbols and Integers.
    def to_h
      heaps = GC.stat_heap.values
      {**allocated(heaps).to_h { |size, number| [MemoryStat.key(size), number - @before.fetch(size, 0)] },
       heap_pages_bytes: GC.stat[:heap_allocated_pages].to_i * GC::INTERNAL_CONSTANTS[:HEAP_PAGE_SIZE].to_i,
       heap_live_bytes: heaps.sum { |heap| (heap[:total_allocated_objects] - heap[:total_freed_objects]) * heap[:slot_size] },
       **LIFETIMES.zip(Native.deaths).to_h { |lifetime, number| [MemoryStat.deaths_key(lifetime), number] }, **Native.memory_usage}
    end

    private

    def allocated(heaps) = heaps.to_h { |heap| heap.values_at(:slot_size, :total_allocated_objects) }
  end
end
