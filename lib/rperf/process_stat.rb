# frozen_string_literal: true

require_relative "compilers"
require_relative "native"

module Rperf
  # The resources that a process has used since this object was made: garbage collection and
  # objects, and figures of the operating system and the compiler about the process as a whole.
  # Times are in nanoseconds.
  class ProcessStat
    # Returns the time of the monotonic clock, which all processes of a machine share.
    def self.now_ns = Native.now_ns

    # Returns the [user, system, elapsed] time since the figures that `to_h` returned earlier.
    def self.used_since(figures)
      usage = Native.resource_usage
      [usage[:user_ns] - figures[:user_ns], usage[:sys_ns] - figures[:sys_ns], now_ns - figures[:ended_ns]]
    end

    # Returns the time from the start of the process to the end of the figures that `to_h` returned
    # earlier, for which its user and system time are counted; nil where proc(5) is missing.
    def self.real_ns(figures)
      age = Native.process_age_ns
      age && (age - (now_ns - figures[:ended_ns]))
    end

    # Returns the values whose differences are the figures: the time, and the collector's data.
    def self.readings(now_ns = nil) = [now_ns || self.now_ns, GC.total_time, GC.stat]

    # beginning: the readings to count from; without GC.stat its figures are left out
    # objects: whether objects are sampled; if so, the caller has loaded MemoryStat
    def initialize(beginning = ProcessStat.readings, objects: false)
      @started_ns, *collector = beginning
      @gc = gc_figures(*collector)
      @memory = MemoryStat.new if objects
    end

    # Leaves out the collections and objects since these readings of GC.total_time and, if objects
    # are counted, of GC.stat.
    def leave_out(readings)
      before, now = [readings, [GC.total_time, (GC.stat if readings[1])]].map { |figures| gc_figures(*figures) }
      @gc = @gc.to_h { |name, value| [name, value + now[name] - before[name]] }
    end

    # Returns the figures up to now, or up to other readings: a Hash of Symbols.
    def to_h(readings = ProcessStat.readings)
      ended_ns, *collector = readings
      now = gc_figures(*collector)
      gc = @gc.to_h { |name, value| [name, now[name] - value] }
      {pid: $$, elapsed_ns: ended_ns - @started_ns, ended_ns:, **gc, **compiler_figures,
       **Native.resource_usage, **@memory.to_h}
    end

    private

    # An object that compaction moves counts as allocated and as freed, too (gc_move in default.c).
    def gc_figures(time_ns, stat = nil)
      return {gc_time_ns: time_ns} unless stat
      {
        gc_count: stat[:count],
        gc_minor_count: stat[:minor_gc_count],
        gc_major_count: stat[:major_gc_count],
        gc_time_ns: time_ns,
        allocated_objects: stat[:total_allocated_objects],
        freed_objects: stat[:total_freed_objects],
        moved_objects: stat[:total_moved_objects]
      }
    end

    # YJIT counts the ratio only if it runs with its statistics on.
    def compiler_figures
      return {zjit: true} if Compilers.on?("ZJIT")
      return {} unless Compilers.on?("YJIT")
      stats = RubyVM::YJIT.runtime_stats
      {yjit_ratio: stats[:ratio_in_yjit], yjit_compiled_count: stats[:compiled_iseq_count]}
    end
  end
end
