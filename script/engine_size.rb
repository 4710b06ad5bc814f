# frozen_string_literal: true

# Counts the lines of the engine by part: the binding without `api/`, and the core's `accounting`
# and `collect`. Unit tests in the files count, too. docs/internals/development.md has the figures.
#   ruby script/engine_size.rb

# The name of a file decides to which part it belongs. All other files belong to the time sampler.
module EngineSize
  ROOT = File.expand_path("..", __dir__)
  FILES = %w[ext/rperf/src/**/*.rs ext/rperf-core/src/accounting/*.rs ext/rperf-core/src/collect/*.rs].freeze
  PARTS = {
    "blame" => %r{/(?:blame|waiters)\.rs\z},
    "native probe" => %r{/(?:native_\w+|perf_event|signal|images)\.rs\z},
    "labels and units of work" =>
      %r{/session/labels|/(?:ledgers|fiber_\w+|label\w+|links|works)\.rs\z},
    "objects and memory" => %r{/memory/|/(?:malloc\w*|newobj\w*|new_object|objects?_\w+|objects|pieces|values|live\w*|in_use|
      announcements|gaps|allocations|countdown|marks|class_names|thread_counts|caller|gc_totals|looking|imports?|import_slot|
      \w*loaded_objects|memory_usage|slow_path)\.rs\z}x
  }.freeze

  def self.report
    lines = files.group_by { |file| part(file) }.transform_values { |files| files.sum { |file| File.foreach(file).count } }
    lines.sort_by { |_, count| -count }.each { |part, count| puts format("%6d  %s", count, part) }
    puts format("%6d  all", lines.values.sum)
  end

  def self.files
    FILES.flat_map { |pattern| Dir[File.join(ROOT, pattern)] }.reject { |file| file.include?("/src/api/") }
  end

  def self.part(file) = PARTS.find { |_, pattern| file.match?(pattern) }&.first || "time sampler"
end

EngineSize.report
