# frozen_string_literal: true

require "monitor"
require_relative "begun"
require_relative "profile_totals"
require_relative "utf8"

module Rperf
  # Limits on the costs of a block, for tests: see rperf/minitest and rperf/rspec. The block is
  # profiled while it is measured, so that a test that fails shows the heaviest functions.
  module Gates
    # Number of functions that a failure shows.
    SHOWN = 10
    # One in limit / `SAMPLES` objects is sampled: a thousand samples show the heaviest functions.
    SAMPLES = 1_000
    # Maximum limits: seconds, objects.
    MOST_SECONDS = 86_400
    MOST_OBJECTS = 10**12
    # Only one block runs at a time: work of others would count, and a process has one session.
    LOCK = Monitor.new
    private_constant :LOCK

    # The cost of a block: its value, its consumption and its limit as texts, and lines about the
    # heaviest places of the block, with their name.
    Cost = Data.define(:value, :within, :used, :limit, :heaviest, :places) do
      alias_method :within?, :within

      # Returns one sentence, and the heaviest places.
      def failure = "the block #{used}, and must take less than #{limit}; the heaviest #{places}:\n#{heaviest.map { |line| "  #{UTF8.printable(line)}\n" }.join("")}"
    end

    module_function

    # Measures the CPU time of all threads in the block, as the profiler does. seconds: the time
    # must be below this limit. Returns a Cost. Raises ArgumentError for an invalid limit or without
    # a block; Rperf::Error if a running session does not see all of the block, or if the block ends
    # it; and the block's own exceptions.
    def cpu_time(seconds, &block)
      check(seconds, Numeric, MOST_SECONDS, "a number above 0 and at most #{MOST_SECONDS} (seconds)", block)
      value, profile = profiled(:cpu, {frequency: 1000}, &block)
      used = profile.weight
      Cost.new(value:, within: used < seconds * 1e9, used: "used #{Numbers.duration(used)} of CPU time",
               limit: Numbers.duration((seconds * 1e9).round), heaviest: functions(profile), places: "functions")
    end

    # Counts the objects that the calling thread allocates in the block, exactly. count: the number
    # must be below this limit. Returns and raises like `cpu_time`.
    def allocations(count, &block)
      check(count, Integer, MOST_OBJECTS, "a whole number above 0 and at most #{MOST_OBJECTS} (objects)", block)
      used = value = nil
      counting = ->(code) { used = Rperf.allocations { value = code.call } }
      counting.call(-> {}) # Makes the VM's caches for rperf's own calls, which are objects, too.
      _, profile = profiled(:alloc, {interval: [count / SAMPLES, 1].max}) { counting.call(block) }
      Cost.new(value:, within: used < count, used: "allocated #{Numbers.counted(used, "object")}", limit: Numbers.grouped(count),
               heaviest: places(profile), places: "classes and lines")
    end

    # Returns the block's value, and the Native::Profile of the block in a mode.
    def profiled(mode, options, &block)
      value, profiles = LOCK.synchronize { Rperf.running? ? read(mode, &block) : record({mode:, **options}, &block) }
      profile = profiles&.find { |found| found.mode == mode }
      profile ? [value, profile] : raise(Error, "the block ended the session that measures it: call Rperf.stop elsewhere")
    end
    private_class_method :profiled

    # Returns the block's value, and the profiles of a session of its own. The end of a session has
    # all CPU time up to then, but also the objects that rperf itself makes around the block.
    def record(options, &block)
      Recording.start(Options.from_keywords(options))
      begin
        @own = true
        return read(:alloc, &block) if options[:mode] == :alloc
        value = yield
      ensure
        @own = false
        profiles = Recording.stop
      end
      [value, profiles]
    end
    private_class_method :record

    # Returns the same from a session that runs already, which loses nothing.
    def read(mode)
      modes = Recording.status[:modes]
      raise Error, "one block cannot have a limit of CPU time and one of objects: give each a block of its own (in RSpec without `and`)" if @own && !modes.include?(mode)
      raise Error, "a session of the mode #{modes.join(" and ")} runs, and this needs one of the mode #{mode}, or none: stop it before" unless modes.include?(mode)
      raise Error, "a session runs that profiles only what is in Rperf.profile (defer: true): stop it before" if Recording.option(:defer)
      raise Error, "a session runs that keeps each sample (aggregate: false): stop it before" unless Recording.option(:aggregate)
      reader = unseen { Reader.open }
      [yield, unseen { reader.take }]
    ensure
      reader&.close
    end
    private_class_method :read

    # Returns the block's value; its objects are not sampled.
    def unseen(&) = Native.own_work(&)
    private_class_method :unseen

    def check(limit, kind, most, words, block)
      raise ArgumentError, "there must be a block: the code that has a limit" unless block
      raise ArgumentError, "the limit must be #{words}, not #{Error.shown(limit)}" unless limit.is_a?(kind) && limit.real? && limit.positive? && limit <= most
    end
    private_class_method :check

    def functions(profile)
      totals = ProfileTotals.new(profile)
      totals.top_leaves(SHOWN).map do |path, label, weight|
        format("%10s %6s  %s (%s)", totals.amount(weight), Numbers.percent(weight, totals.weight), label, path)
      end
    end
    private_class_method :functions

    # Returns lines about classes and the lines of code that allocate their objects, in the calling
    # thread.
    def places(profile)
      data = profile.with_short_paths.to_h
      own = data.fetch(:threads, []).filter_map { |thread| thread[:thread_seq] if thread[:native_thread_id] == Thread.current.native_thread_id }
      sums = Hash.new(0)
      data[:samples].each { |sample| sums[place(data, sample)] += sample.values.first if own.include?(sample[2]) }
      sums.sort_by { |place, objects| [-objects, place] }.first(SHOWN).map { |place, objects| format("%10s  %s", Numbers.grouped(objects), place) }
    end
    private_class_method :places

    def place(data, sample)
      set = data[:label_sets][sample[3]]
      index = sample[0].index { |frame| !frame.path.start_with?("<") } || 0
      frame = sample[0][index]
      line = sample.lines.first&.first&.[](index)
      "#{set[:class] || set[:type]} in #{frame.label} (#{frame.path}#{":#{line}" if line.to_i.positive?})"
    end
    private_class_method :place
  end
end
