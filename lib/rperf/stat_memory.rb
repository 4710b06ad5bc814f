# frozen_string_literal: true

require_relative "numbers"
require_relative "stat_row"

module Rperf
  # What `rperf stat` shows of the memory that a process has at its end. What malloc keeps, and what
  # it has handed out that was never written, need not be resident: where parts are more than the
  # whole, they are cut.
  class StatMemory
    # stats: see StatRows. The process with most resident memory counts.
    def initialize(stats)
      @count = stats.length
      @stat = stats.select { |stat| stat[:rss_bytes] }.max_by { |stat| stat[:rss_bytes] }
    end

    # The rows; none where the system does not say what is resident.
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

    # What is known exactly comes first.
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
