# frozen_string_literal: true

require_relative "../../workloads/workloads"
require_relative "../../support/rperf"

module Overhead
  # Something that runs beside the measured work: nothing, a bare timer, rperf.
  class Variant
    USUAL_HZ = 1000

    attr_reader :name

    def self.nothing = new("nothing")

    # kind: :thread, :worker, :perf (see Workloads.arm_bare_timer); hooks: with GVL hooks that only
    # count, too.
    def self.bare(kind, hz: USUAL_HZ, hooks: false)
      arm = lambda do
        Workloads.arm_bare_timer(kind, hz)
        Workloads.add_bare_hooks if hooks
      end
      disarm = lambda do
        Workloads.remove_bare_hooks
        Workloads.disarm_bare_timer
      end
      new("bare timer, #{kind}#{" and GVL hooks" if hooks}", start: arm, stop: disarm)
    end

    def self.rperf(mode, hz: USUAL_HZ, **options)
      name = ["rperf, #{mode}", *("#{hz} Hz" if hz != USUAL_HZ), *options.map { |key, value| "#{key}: #{value}" }].join(", ")
      new(name, start: -> { Rperf.start(mode:, frequency: hz, **options) }, stop: -> { Rperf.stop })
    end

    def initialize(name, start: -> {}, stop: -> {})
      @name = name
      @start = start
      @stop = stop
    end

    # Runs the block while the variant is active. The block's measurement excludes start and stop.
    # Returns the result of the block and that of the stop (rperf: the data hash; a bare timer: its
    # ticks).
    def around
      @start.call
      begin
        result = yield
      ensure
        stopped = @stop.call
      end
      [result, stopped]
    end
  end
end
