# frozen_string_literal: true

require_relative "memory_stat"
require_relative "numbers"
require_relative "stat_row"

module Rperf
  # The rows of `rperf stat` about a profile of objects: their number, size and rate, and their
  # fate.
  class StatObjects
    # Names of rows of deaths, for each of MemoryStat::LIFETIMES.
    DEATHS = ["died in the first collection after their birth", "died in the 2nd or 3rd", "died in the 4th to 7th", "died in the 8th to 15th",
      "died in the 16th to 31st", "died later"].freeze

    # totals:  the ProfileTotals of the profile
    # stats:   see StatRows
    # real_ns: the elapsed time of the command
    def initialize(totals, stats:, real_ns:)
      @totals = totals
      @stats = stats
      @seconds = [real_ns, 1].max / 1e9
    end

    # Returns the rows.
    def rows
      [StatRow.count("objects allocated", allocated, "(#{rates(allocated) { |number| Numbers.grouped(number) }})"), *size, *slots, *fates, *dropped]
    end

    private

    # The number of allocated objects, as Ruby counts them: the same as in the rows of Ruby. The
    # profile's own count is read a little later.
    def allocated = @allocated ||= (sum(:allocated_objects) - moved).nonzero? || @totals.allocated_objects

    def moved = sum(:moved_objects)

    def bytes = @totals.value_sum("alloc_space") || 0

    # Returns whether there are estimates. Of a short program chance may have sampled nothing.
    def sampled? = bytes.positive?

    # Returns the row of the bytes that all objects take.
    def size
      return [] unless sampled?
      [StatRow.new(name: "that they take", unit: "bytes", value: bytes, note: "(estimated: #{rates(bytes) { |number| Numbers.bytes(number.round) }})")]
    end

    # Returns "447,670 a second, 10,911 a collection".
    def rates(amount)
      collections = sum(:gc_count)
      each = ", #{yield(amount.fdiv(collections))} a collection" if collections.positive?
      "#{yield(amount / @seconds)} a second#{each}"
    end

    # Returns the rows of slots, as Ruby counts them.
    def slots
      numbers = @stats.flat_map { |stat| MemoryStat.slot_sizes(stat) }.uniq.sort.to_h { |size| [size, sum(MemoryStat.key(size))] }
      return [] if numbers.empty?
      [StatRow.new(name: "their slots alone", unit: "bytes", value: numbers.sum { |size, number| size * number }, note: note_on_slots),
       *numbers.map { |size, number| share("objects in slots of #{size} bytes", number, numbers.values.sum) }]
    end

    # (By size of slot Ruby does not say how many objects have moved.)
    def note_on_slots
      return "(no object was sampled: with a smaller --interval more are)" unless sampled?
      "(with the new ones of #{Numbers.counted(moved, "moved object")})" if moved.positive?
    end

    # Returns the rows of deaths. When objects die is known only if they are watched until then.
    # Freed objects may be older than the session, so they are no share of those that it allocated.
    def fates
      return [StatRow.count("objects freed meanwhile, older ones too", sum(:freed_objects) - moved)] unless @totals.figures[:mode] == :heap
      return [] unless sampled?
      in_use = Numbers.counted(@totals.value_sum("inuse_objects") || 0, "object")
      [*deaths, StatRow.new(name: "in use at the end, by those that live", unit: "bytes", value: @totals.value_sum("inuse_space") || 0, note: "(#{in_use})")]
    end

    # Returns the rows of deaths: that of the first collection, and of others those that found some.
    # They are estimates, and so is their whole: they could be more than what Ruby counts.
    def deaths
      born = @totals.value_sum("alloc_objects")
      rows = MemoryStat::LIFETIMES.zip(DEATHS).map { |lifetime, name| share(name, sum(MemoryStat.deaths_key(lifetime)), born) }
      [rows.first, *rows.drop(1).select { |row| row.value.positive? }]
    end

    def dropped = @totals.dropped.sort.map { |cause, drop| StatRow.count("[rperf] objects dropped (#{cause})", drop[:samples]) }

    def share(name, value, whole) = StatRow.new(name:, value:, whole:)

    def sum(key) = @stats.sum { |stat| stat[key].to_i }
  end
end
