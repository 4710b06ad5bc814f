# frozen_string_literal: true

require_relative "version"
require_relative "errors"
require_relative "native"
require_relative "encoder"
require_relative "first_use"
require_relative "options"
require_relative "recording"

# A sampling profiler: where does a Ruby program spend its time?
#
#   data = Rperf.start(output: "profile.pb.gz", mode: :wall) { work }
#
# One session runs at a time in a process.
module Rperf
  class << self
    # Starts a session.
    #
    # With a block: profiles the block, writes `output:` if it is given, and returns the data. An
    # exception of the block is raised to the caller after the profile was written. Returns nil if
    # Rperf.stop has ended the session meanwhile. Without a block: returns nil.
    #
    # frequency: modes :cpu and :wall: samples a second, 1 to 10000 (1000)
    # mode:      :cpu or :wall (time), :both (these two), :alloc (objects that are allocated; also
    #            :object), :heap (these, and which of them live), :custom (samples of Rperf.sample);
    #            or an Array of modes of time and at most one of objects, each of which gives a
    #            profile (:cpu)
    # interval:  modes :alloc and :heap: one in `interval` objects is sampled, by chance, 1 to
    #            1,000,000,000; 1: each object (500)
    # watch:     modes :alloc and :heap: :direct sees objects where Ruby's library asks for them,
    #            :event has the VM report them, which costs more; nil: direct if it is proved (nil)
    # objects:   mode :heap: maximum number of sampled objects, 2 to 10,000,000; beyond it every
    #            second one is dropped, by chance, and `interval` doubles (65,536)
    # min_age:   mode :heap: objects that have survived fewer collections are not counted as in use,
    #            0 to 1,000,000 (1)
    # gc:        mode :heap: whether a full collection precedes the last count, so that unreferenced
    #            objects are not counted as in use (true)
    # data_sizes: mode :heap: whether extensions are asked for the size of their objects (true)
    # malloc:    modes :alloc and :heap: true samples the memory that Ruby's library takes from
    #            malloc(3), by bytes, where it is taken; objects then count by their slots (false)
    # malloc_interval: modes :alloc and :heap: one in `malloc_interval` bytes is drawn, by chance, 1
    #            to 1,000,000,000; 1: all memory (524,288)
    # native_memory: as malloc:, and also memory of C extensions and other libraries (false)
    # output:    path of the file to write at the end; several modes have a file each: app.cpu.pb.gz
    #            and app.alloc.pb.gz for app.pb.gz (nil: none)
    # format:    :pprof, :json or another of Rperf::Formats.names (nil: by the name of the file)
    # verbose:   statistics on stderr at the end (false)
    # signal:    the real-time signal of the native probe (Linux); nil: rperf chooses; false: none,
    #            samples at safepoints only
    # aggregate: false keeps each sample instead of merging equal stacks (true)
    # timeline:  true keeps the moment of each sample; with an output that can hold it: .json,
    #            .firefox.json, .speedscope.json, .data (false)
    # lines:     false leaves out line numbers (true)
    # native:    true shows the native function that ran as a leaf; not with `signal: false` (false)
    # blame:     mode :wall: true also charges the waiting of threads for the GVL to the thread that
    #            has it; not with `signal: false` (false)
    # inherit:   true profiles child processes too, :fork only forked ones; their profiles are
    #            merged into this one when the session ends (false)
    # defer:     true profiles only code inside of Rperf.profile blocks (false)
    # slow:      a unit of work (see Rperf.work) that takes more than `slow` seconds has the label
    #            `latency: "slow"` in its samples, 0.001 to 86,400 (nil: none has)
    #
    # Raises ArgumentError for an invalid value; Rperf::Error if a session runs already, if none can
    # start, if the output cannot be written, or in a Ractor other than the main one.
    def start(**keywords)
      Error.check_ractor("Rperf.start")
      options = Options.from_keywords(keywords)
      options = Options.from_keywords({**keywords, output: writable(options)}) if options[:output]
      return during(options) { yield } if block_given?

      Recording.start(options)
      nil
    end

    # Ends the session. Returns its data (with several modes an Array, in their order), or nil if no
    # session ran. An exception, such as an interrupt, keeps no data from the program: the next call
    # returns them. `gc` overrides the `gc:` of Rperf.start. Raises Rperf::Error if the output file
    # cannot be written, or in a Ractor other than the main one; ArgumentError if `gc` is no truth
    # value.
    def stop(gc: nil)
      Error.check_ractor("Rperf.stop")
      gc = Options.check(:gc, gc, "gc:") unless gc.nil?
      Recording.stop(gc:) { |profiles| data_of(profiles) } || Recording.unreturned
    end

    # Returns the data so far, like `stop`, while the session goes on, or nil if none runs. With
    # `clear`, the next snapshot (or stop) begins where this one ends; objects in use are kept.
    # Other threads run meanwhile. With `gc`, a full collection precedes a heap profile and stops
    # the program; without it, objects that the last collection found alive are in use. With `born`,
    # a range of Times, a heap profile has only objects in use that were born then, and no
    # allocations. Raises Rperf::Error in a session with `aggregate: false`, and in a Ractor other
    # than the main one; ArgumentError if `clear` or `gc` is no truth value, or if `born` is no
    # range of Times or has no meaning.
    def snapshot(clear: false, gc: false, born: nil)
      Error.check_ractor("Rperf.snapshot")
      Options::Value::Truth.check(clear, "clear:")
      gc = Options.check(:gc, gc, "gc:")
      Native.own_work { Recording.snapshot(clear:, gc:, born:) { |profiles| data_of(profiles) } }
    end

    # If Rperf::Recorder runs, writes a recording of the last minute to a file, unless there was one
    # just before. Does not wait for the file. Returns whether a recorder runs. Raises Rperf::Error
    # in a Ractor other than the main one.
    # reason: a text for the file, of at most 200 characters
    def dump(reason: nil)
      Error.check_ractor("Rperf.dump")
      defined?(Recorder) ? Recorder.dump(reason:) : false
    end

    # Returns whether a session runs in this process.
    def running? = Native.running?

    # Writes data to a file. The name of the file determines the format (see Formats::ENDINGS)
    # unless `format` is given. Returns the path. Raises ArgumentError for an unknown format or
    # ending, Rperf::Error if the file cannot be written.
    def save(path, data, format: nil)
      Error.check_ractor("Rperf.save")
      Encoder.check(data)
      format = Options.check(:format, format, "format:")
      path = Options.check(:output, path, "the path") or raise ArgumentError, "the path must be given"
      Native.own_work { Formats.write(Native::Profile.from_h(data), path, format) }
      path
    end

    # Reads a profile (pprof, OTLP, rperf's JSON, collapsed, stackprof, speedscope, Firefox
    # Profiler; recognised by its content) into a data Hash. Raises Rperf::Error with one sentence
    # if there is no such file or it has another format, ArgumentError if the path is invalid.
    def load(path)
      Error.check_ractor("Rperf.load")
      FirstUse.prepare { require_relative "profile_file" }
      raise ArgumentError, "the path must be the path of a file, not \"-\": stdin is #{ProfileFile::STDIN}" if path == "-"
      path = Options.check(:output, path, "the path") or raise ArgumentError, "the path must be given"
      ProfileFile.new(path).data
    end

    # Returns what has changed between two data Hashes of one mode, such as two snapshots: the Hash
    # of `rperf diff --format json`, with Symbols as names. Of heap profiles its `:rows` say what
    # grew (view --leaks), of others its `:functions` (view --top), the largest change first. Raises
    # ArgumentError if one is no data Hash, Rperf::Error if they measure different things, and in a
    # Ractor other than the main one.
    def diff(base, target)
      Error.check_ractor("Rperf.diff")
      [base, target].each { |data| Encoder.check(data, use: "compare") }
      Native.own_work do
        FirstUse.prepare { require_relative "difference" }
        Difference.of(base, target)
      end
    end

    # Sets labels of the current fiber: with a block for its duration, without one permanently.
    # Labels are merged with the fiber's labels; nil removes a label. A new fiber begins with the
    # labels of the fiber that creates it, a new thread without labels. Without a session it only
    # calls the block. Raises ArgumentError for a key that is no Symbol or String.
    def label(**labels, &block)
      # Testing the parameter is faster than `block_given?`.
      return Native.set_labels(labels) unless block
      before = Native.enter_labels(labels)
      return yield unless before

      begin
        # Inside of `begin`, since an interrupt may raise just after the labels are set.
        Native.set_labels(labels)
        yield
      ensure
        Native.leave_labels(before)
      end
    end

    # Profiles the block in a session that was started with `defer: true`: only this thread, and
    # only inside of the block. Threads that the block starts are not profiled unless they call this
    # method, too. Labels are set as Rperf.label does. In other sessions it only sets the labels;
    # without a session it only calls the block. Returns the block's value. Raises ArgumentError
    # without a block.
    def profile(**labels, &block)
      raise ArgumentError, "Rperf.profile needs a block: the code to profile" unless block
      return label(**labels) { profile(&block) } unless labels.empty?

      session = Native.deferred_session or return yield
      begin
        # Inside of `begin`, since an interrupt may raise just after the thread has entered.
        Native.enter_profile(session)
        yield
      ensure
        Native.leave_profile(session)
      end
    end

    # Returns the number of objects that the calling thread allocates in the block: an exact number,
    # whatever the mode of a running session. Objects of threads that the block starts do not count.
    # Raises ArgumentError without a block; Rperf::Error if rperf does not see every object of this
    # Ruby, in a Ractor other than the main one, or at the first call if a session with `watch:
    # :event` runs.
    def allocations(&block)
      raise ArgumentError, "Rperf.allocations needs a block: the code to count" unless block
      Error.check_ractor("Rperf.allocations")
      # This makes objects, which gates would show.
      proved = Native.own_work { FirstUse.prepare { require_relative "allocation_proof" }; AllocationProof.ensure }
      return Native.count_allocations(&block) if proved
      raise Error, "Rperf.allocations cannot count here: rperf does not see every object that this Ruby " \
                   "(#{RUBY_DESCRIPTION}) allocates; use GC.stat(:total_allocated_objects), which counts all threads"
    end

    # Takes a sample of the calling thread's stack with this weight, in a session with `mode:
    # :custom`. Up to three further values have names, which become value types of the profile
    # (`bytes: 512`; a name that ends in bytes or ns has that unit). Returns whether a session took
    # the sample. Raises ArgumentError for a weight below 1, a value below 0, a name that is no
    # Symbol, the name `samples`, or too many names.
    def sample(weight: 1, **values)
      Recording.check_sample(weight, values)
      Native.sample(weight, values)
    end

    # Sets the kind of waits off the GVL in some methods, and in the methods that they call: a Hash
    # from methods, as reports name them, to kinds, such as `"PG::Connection#exec" => :database`. A
    # name that ends in "#", "." or "::" stands for all methods whose names begin with it. The kinds
    # apply to all later wall profiles; kinds of rperf's own, such as :pool, are allowed. Raises
    # ArgumentError for other names, Rperf::Error in a Ractor other than the main one.
    def classify_wait(kinds)
      Error.check_ractor("Rperf.classify_wait")
      FirstUse.prepare { require_relative "wait_kinds" }
      WaitKinds.add(kinds)
      nil
    end

    # Returns the labels of the current fiber, a frozen Hash of Symbols and Strings.
    def labels = Native.labels

    # Returns the ledger of all units of work that have ended in this process while a session ran:
    # an Array of Ledger::Row, one for each kind and name. Reading removes nothing. Raises
    # Rperf::Error in a Ractor other than the main one.
    def ledger
      Error.check_ractor("Rperf.ledger")
      FirstUse.prepare { require_relative "ledger" }
      Native.ledger.map { |figures| Ledger::Row.new(figures) }
    end

    private

    # Returns the whole path of the output, since the program may change its directory. Raises
    # Rperf::Error if the file cannot be written, before anything is measured.
    def writable(options)
      path = OutputFile.new(options[:output]).path
      Formats.paths(path, options[:mode]).each { |file| OutputFile.new(file).check! }
      path
    end

    # Returns the data of one Native::Profile, an Array for several, nil for nil.
    def data_of(profiles)
      all = Array(profiles).map(&:to_h)
      all.length > 1 ? all : all.first
    end

    # Runs a session that lasts as long as the block. Returns its data, or nil if it was stopped
    # meanwhile.
    def during(options)
      finished = false
      # Inside of `begin`, since an interrupt may raise just after the session has begun.
      begin
        Recording.start(options)
        yield
        finished = true
      ensure
        # The block, or another thread, may have stopped it, and started another one.
        data = (finished ? stop : stop_despite_exception) if Recording.started_with?(options)
      end
      data
    end

    # The caller must see the block's own exception (or throw, or break), so a profile that cannot
    # be written causes only a line on stderr.
    def stop_despite_exception
      Recording.stop
      nil
    rescue Error => error
      Error.complain error.message
      nil
    end
  end
end
