# frozen_string_literal: true

require "json"

# A recording of so many ticks that the page must not look at each of them more often than it has
# to.
module LongTimeline
  THREADS = 24
  TICKS = 1_000_000
  # Nanoseconds between two ticks; only one thread has the GVL.
  PERIOD = 60_000
  METHODS = 50

  # As rperf writes it: each thread computes in a method for a while, under the label of a request,
  # and then waits.
  def self.json
    samples = Array.new(TICKS) do |tick|
      thread = 1 + (tick / 20) % THREADS
      stack = (tick / 20).odd? ? METHODS : (tick / 7) % METHODS
      [stack, PERIOD, 1, thread, 1 + (tick / 100) % 3]
    end
    JSON.generate(document(samples, Array.new(TICKS) { |tick| (tick + 1) * PERIOD }))
  end

  def self.document(samples, moments)
    names = Array.new(METHODS) { |number| {label: "Object#method_#{number}", path: "long.rb", start_line: number + 1} }
    {
      rperf: {format: 1, version: "0.1.0"},
      meta: {mode: "wall", value_type: nil, frequency: 1000, start_time_ns: 1_700_000_000_000_000_000, duration_ns: TICKS * PERIOD, aggregated: false},
      functions: names + [{label: "[GVL blocked]", path: "<GVL>", start_line: 0}],
      locations: Array.new(METHODS + 1) { |number| [number, number + 1] },
      label_sets: [{}, {request: "a"}, {request: "b"}, {request: "c"}],
      stacks: Array.new(METHODS) { |number| [number] } + [[METHODS, 0]],
      samples:,
      moments_ns: moments
    }
  end
  private_class_method :document
end
