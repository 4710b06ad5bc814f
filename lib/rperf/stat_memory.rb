# frozen_string_literal: true

require_relative "numbers"
require_relative "stat_row"

module Rperf
  # The memory of a process at its end, as `rperf stat` shows it. Memory that malloc keeps, or that
  # it has handed out and that was never written, need not be resident: parts that exceed the whole
  # are cut.
  class StatMemory
    # stats: see StatRows. The process with the most resident memory counts.
    def initialize(stats)
      @count = stats.length
      @stat = stats.select { |stat| stat[:rss_bytes] }.max_by { |stat| stat[:rss_bytes] }
    end

    # Returns the rows; none if the system does not report resident memory.
    def rows
      return [] unless @stat
      [StatRow.new(name: "[OS] resident memory at the end#{" of the largest process" if @count > 1}", unit: "MB", value: resident), *parts]
    end

    private

    def resident = @stat[:rss_bytes]

    def parts
      rest = resident
      known = amounts.map { |name, bytes, note|
        part = [bytes, rest].min
        rest -= part
        row(name, part, note)
      }
      known << row(malloc? ? "stacks, compiled code and other memory" : "malloc, stacks, compiled code and other memory", rest)
    end

    # Returns the parts of the memory. Parts that are known exactly come first.
    def amounts
      files, pages, live, used, free = @stat.values_at(:rss_file_bytes, :heap_pages_bytes, :heap_live_bytes, :malloc_used_bytes, :malloc_free_bytes)
      all = [["files: Ruby's code, libraries, shared memory", files], ["Ruby's heap pages", pages, "(#{Numbers.percent(live, pages)} in objects)"]]
      all.push(["malloc: in use", used], ["malloc: kept free", free]) if malloc?
      all
    end

    def malloc? = @stat.key?(:malloc_used_bytes)

    def row(name, bytes, note = nil) = StatRow.new(name:, unit: "MB", value: bytes, whole: resident, note:)
  end
end
