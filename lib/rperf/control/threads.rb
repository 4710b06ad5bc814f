# frozen_string_literal: true

require_relative "../numbers"
require_relative "../own_thread"
require_relative "../sample"
require_relative "../utf8"
require_relative "../version"
require_relative "../work"

module Rperf
  module Control
    # Where all threads of the process are now, except rperf's own: one stack each, with the unit of
    # work that the thread runs. Units of work are known only while a session runs.
    module Threads
      # Maximum number of frames of a thread, the innermost ones.
      MOST_FRAMES = 200
      # Directory of rperf's own files. Frames of their methods are left out, as in profiles.
      OWN = "#{File.dirname(__dir__)}/".freeze
      # Value type of the profile.
      TYPE = %w[threads count].freeze
      # Label with the time for which a unit of work has been open, in nanoseconds.
      AGE = "open"

      Unit = Data.define(:kind, :name, :age)
      private_constant :OWN, :Unit

      class << self
        # Returns a text with a paragraph for each thread, in the order in which they began.
        def text = each { |thread, unit| paragraph(thread, unit) }.join("\n")

        # Returns the same as a Native::Profile, in which each thread counts one.
        def profile
          threads, label_sets, stacks = each { |thread, unit| [thread, labels(thread, unit), stack(thread)] }.transpose
          samples = stacks.each_with_index.map { |(frames, lines), at| Sample.new(frames, 1, at + 1, at, 1, [[lines.pack("L*"), 1, 1]]) }
          Native::Profile.from_h({mode: :custom, value_type: TYPE, period: [*TYPE, 1], start_time_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond),
                                  samples:, label_sets:, label_units: {AGE => "nanoseconds"}, ruby_version: RUBY_DESCRIPTION, rperf_version: VERSION,
                                  threads: threads.each_with_index.map { |thread, at| {thread_seq: at + 1, name: name_of(thread)} }})
        end

        private

        # Calls the block with each thread and its unit of work. Returns the block's results.
        def each
          units = Native.open_work.to_h { |native_id, *unit| [native_id, Unit.new(*unit)] }
          (Thread.list - OwnThread.all).map { |thread| yield(thread, units[thread.native_thread_id]) }
        end

        def paragraph(thread, unit)
          lines = [head(thread, unit), *frames(thread).map { |frame| "  #{UTF8.of(frame.to_s)}" }]
          lines.map { |line| UTF8.printable(line) }.join("\n") << "\n"
        end

        # Frames of a thread. A thread that has ended meanwhile has none.
        def frames(thread)
          (thread.backtrace_locations(0, MOST_FRAMES) || []).reject { |frame| frame.path.to_s.start_with?(OWN) }
        end

        # First line of a thread: "worker 1 (sleep), request GET /users/:id for 12.30 s".
        def head(thread, unit)
          work = ", #{unit.kind} #{unit.name} for #{Numbers.duration(unit.age)}" if unit
          "#{name_of(thread)} (#{state(thread)})#{work}"
        end

        def labels(thread, unit)
          {state: state(thread), **({Work::LABELS.fetch(unit.kind) => unit.name, AGE.to_sym => unit.age} if unit)}
        end

        # Frames and lines of a thread.
        def stack(thread)
          frames = frames(thread)
          [frames.map { |frame| [UTF8.of(frame.path.to_s), UTF8.of(frame.label.to_s)] }, frames.map { |frame| frame.lineno.to_i }]
        end

        def name_of(thread)
          return "main" if thread == Thread.main
          thread.name ? UTF8.of(thread.name) : shown(thread)[/@(.*) \S+>\z/, 1] || "thread"
        end

        # State of a thread: "sleep_forever", "run", ...
        def state(thread) = shown(thread)[/ (\S+)>\z/, 1]

        # The thread as Ruby shows it: "#<Thread:0x0 worker@app.rb:1 run>".
        def shown(thread) = UTF8.of(thread.inspect)
      end
    end
  end
end
