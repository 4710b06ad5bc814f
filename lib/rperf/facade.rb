# frozen_string_literal: true

require_relative "version"
require_relative "errors"
require_relative "native"
require_relative "encoder"
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
    # With a block: profiles the block, writes `output:` when it is given, and returns the data; the
    # block's own exception goes on to the caller after the profile was written. Without: returns
    # nil.
    #
    # frequency: modes :cpu and :wall: samples a second, 1 to 10000 (1000)
    # mode:      :cpu or :wall (time), :alloc (objects that are allocated; also :object), :heap
    #            (these, and those of them that live), :custom (what Rperf.sample says); or an Array
    #            of one that samples time and one that samples objects: each gives a profile (:cpu)
    # interval:  modes :alloc and :heap: one object of so many is sampled, by chance, 1 to
    #            1,000,000,000; 1: each one (500)
    # watch:     modes :alloc and :heap: :direct sees objects where Ruby's library asks for them,
    #            :event is told of them by the VM, which costs more; nil: direct where that is
    #            proved (nil)
    # objects:   mode :heap: at most so many sampled objects are kept, 2 to 10,000,000; beyond that
    #            every second by chance, and `interval` doubles (65,536)
    # min_age:   mode :heap: what has survived fewer collections is not counted as in use, 0 to
    #            1,000,000 (1)
    # gc:        mode :heap: whether a full collection comes before the last count, so that what
    #            nothing refers to is not in use (true)
    # data_sizes: mode :heap: whether extensions are asked how large their objects are (true)
    # malloc:    modes :alloc and :heap: true samples what Ruby's library takes from malloc(3), by
    #            bytes, where it is taken; objects then count by their slots (false)
    # malloc_interval: the same; one byte of so many is drawn, by chance, 1 to 1,000,000,000; 1: all
    #            memory (524,288)
    # native_memory: the same; true samples what C extensions and other libraries take, too (false)
    # output:    path of the file to write at the end; several modes have a file each: app.cpu.pb.gz
    #            and app.alloc.pb.gz for app.pb.gz (nil: none)
    # format:    :pprof, :json or another of Rperf::Formats.names (nil: by the name of the file)
    # verbose:   statistics on stderr at the end (false)
    # signal:    the real-time signal of the native probe (Linux); nil: rperf chooses; false: none,
    #            samples at safepoints only
    # aggregate: false keeps each sample instead of merging equal stacks (true)
    # timeline:  true keeps when each sample was taken; with an output that has room for it: .json,
    #            .firefox.json, .speedscope.json, .data (false)
    # lines:     false leaves out line numbers (true)
    # native:    true shows the native function that ran as a leaf; not with `signal: false` (false)
    # blame:     mode :wall: true also counts who made other threads wait for the GVL; not with
    #            `signal: false` (false)
    # inherit:   true profiles child processes too, :fork only those that are forked; their profiles
    #            join this one when the session ends (false)
    # defer:     true profiles only what runs inside of Rperf.profile blocks (false)
    # slow:      a unit of work (see Rperf.work) that takes more seconds than this has the label
    #            `latency: "slow"` in its samples, 0.001 to 86,400 (nil: none has)
    #
    # Raises ArgumentError for a wrong value, Rperf::Error when a session runs already or none can
    # start, when the output cannot be written, or in another Ractor than the main one.
    def start(**keywords)
      check_ractor("Rperf.start")
      options = Options.from_keywords(keywords)
      options = Options.from_keywords({**keywords, output: writable(options)}) if options[:output]
      return during(options) { yield } if block_given?

      Recording.start(options)
      nil
    end

    # Ends the session. Returns its data (of several modes an Array, in their order), or nil when
    # none ran. `gc` says for this time what `gc:` of Rperf.start says.
    # Raises Rperf::Error when the output file cannot be written, or in another Ractor than the main
    # one; ArgumentError when `gc` is no truth value.
    def stop(gc: nil)
      check_ractor("Rperf.stop")
      data_of(Recording.stop(gc: gc.nil? ? nil : Options.check(:gc, gc, "gc:")))
    end

    # The data so far, as stop returns it, while the session goes on, or nil when none runs. With
    # `clear`, the next snapshot (or stop) begins where this one ends; what is in use stays. Other
    # threads run meanwhile. With `gc`, a heap profile has a full collection first, which stops the
    # program for its time; without, what the last collection has found alive is in use. With
    # `born`, a range of Times, a heap profile has only what is in use and was born then, and
    # nothing of what was allocated. Raises Rperf::Error in another Ractor than the main one,
    # ArgumentError when `gc` is no truth value, or `born` no range of Times, or has no meaning.
    def snapshot(clear: false, gc: false, born: nil)
      check_ractor("Rperf.snapshot")
      gc = Options.check(:gc, gc, "gc:")
      Native.own_work { data_of(Recording.snapshot(clear:, gc:, born:)) }
    end

    # Writes what was recorded of the last minute to a file, where Rperf::Recorder runs, and where
    # there was no recording just before. It does not wait for that. Returns whether a recorder
    # runs. Raises Rperf::Error in another Ractor than the main one.
    # reason: a text for the file, of at most 200 characters
    def dump(reason: nil)
      check_ractor("Rperf.dump")
      defined?(Recorder) ? Recorder.dump(reason:) : false
    end

    # Whether a session runs in this process.
    def running? = Native.running?

    # Writes data to a file. The format follows from the name of the file (see Formats::ENDINGS)
    # unless `format` names one. Returns the path. Raises ArgumentError for an unknown format or
    # ending, Rperf::Error when the file cannot be written.
    def save(path, data, format: nil)
      check_ractor("Rperf.save")
      Encoder.check(data)
      format = Options.check(:format, format, "format:")
      path = Options.check(:output, path, "the path") or raise ArgumentError, "the path must be given"
      Formats.write(Native::Profile.from_h(data), path, format)
      path
    end

    # Reads a profile (pprof, OTLP, rperf's JSON, collapsed, stackprof, speedscope, Firefox
    # Profiler; recognised by its content) into a data Hash. Raises Rperf::Error with one sentence
    # when there is no such file or it is none of these, ArgumentError when the path is none.
    def load(path)
      check_ractor("Rperf.load")
      require_relative "profile_file"
      raise ArgumentError, "the path must be the path of a file, not \"-\": stdin is #{ProfileFile::STDIN}" if path == "-"
      path = Options.check(:output, path, "the path") or raise ArgumentError, "the path must be given"
      ProfileFile.new(path).data
    end

    # Sets labels of the current fiber: with a block for its duration, without for good. Labels
    # merge with those that are set; nil removes one. Does nothing but call the block when no
    # session runs. A new fiber begins with the labels of the fiber that creates it, a new thread
    # without.
    def label(**labels, &block)
      # Asking the parameter is quicker than asking `block_given?`.
      return Native.set_labels(labels) unless block
      before = Native.enter_labels
      return yield unless before

      begin
        # In here, since an interrupt may raise when it has just set them.
        Native.set_labels(labels)
        yield
      ensure
        Native.leave_labels(before)
      end
    end

    # Profiles the block in a session that was started with `defer: true`: this thread, and only
    # while it is in the block (threads that the block starts are not profiled, unless they call
    # this, too). Labels are set as Rperf.label does. In other sessions it only sets the labels, and
    # without a session it only calls the block. Returns the block's value. Raises ArgumentError
    # without a block.
    def profile(**labels, &block)
      raise ArgumentError, "Rperf.profile needs a block: the code to profile" unless block
      return label(**labels) { profile(&block) } unless labels.empty?

      session = Native.deferred_session or return yield
      begin
        # In here, since an interrupt may raise when the thread has just entered.
        Native.enter_profile(session)
        yield
      ensure
        Native.leave_profile(session)
      end
    end

    # How many objects the calling thread allocates in the block: an exact number, whatever the mode
    # of a session that runs. Objects of threads that the block starts are not counted. Raises
    # ArgumentError without a block, Rperf::Error where this Ruby does not let rperf see every
    # object, or in another Ractor than the main one.
    def allocations(&block)
      raise ArgumentError, "Rperf.allocations needs a block: the code to count" unless block
      check_ractor("Rperf.allocations")
      require_relative "allocation_proof"
      return Native.count_allocations(&block) if AllocationProof.ensure
      raise Error, "Rperf.allocations cannot count here: rperf does not see every object that this Ruby " \
                   "(#{RUBY_DESCRIPTION}) allocates; use GC.stat(:total_allocated_objects), which counts all threads"
    end

    # In a session with `mode: :custom`: takes a sample of the calling thread's stack, which stands
    # for `weight`. Up to three other values have names, which become value types of the profile
    # (`bytes: 512`; a name that ends in bytes or ns has that unit). Returns whether a session took
    # it. Raises ArgumentError for a weight below 1, a value below 0, a name that is no Symbol, the
    # name `samples`, or more names than there is room for.
    def sample(weight: 1, **values)
      Recording.check_sample(weight, values)
      Native.sample(weight, values)
    end

    # Says what it is called when a thread waits off the GVL in some methods, or in what they call:
    # a Hash from methods, as reports name them, to kinds, such as `"PG::Connection#exec" =>
    # :database`. A name that ends in "#", "." or "::" stands for all methods that begin so. It
    # counts for all wall profiles from then on; kinds of rperf's own, such as :pool, are allowed.
    # Raises ArgumentError for other names, Rperf::Error in another Ractor than the main one.
    def classify_wait(kinds)
      check_ractor("Rperf.classify_wait")
      require_relative "wait_kinds"
      WaitKinds.add(kinds)
      nil
    end

    # The labels of the current fiber, a frozen Hash of Symbols and Strings.
    def labels = Native.labels

    # The ledger of all units of work that have ended in this process while a session ran: an Array
    # of Ledger::Row, one for each kind and name. Reading takes nothing away. Raises Rperf::Error in
    # another Ractor than the main one.
    def ledger
      check_ractor("Rperf.ledger")
      require_relative "ledger"
      Native.ledger.map { |figures| Ledger::Row.new(figures) }
    end

    private

    # What a session consists of belongs to the main Ractor.
    def check_ractor(method)
      return if Ractor.main?
      raise Error, "#{method} works in the main Ractor only: call it there; a session sees the threads of all Ractors"
    end

    # The whole path of the output: the program may go to another directory. Raises Rperf::Error
    # where it cannot be written, before anything is measured.
    def writable(options)
      path = OutputFile.new(options[:output]).path
      Formats.paths(path, options[:mode]).each { |file| OutputFile.new(file).check! }
      path
    end

    # Of Native::Profiles: of one its data, of several an Array, nil of nil.
    def data_of(profiles)
      all = Array(profiles).map(&:to_h)
      all.length > 1 ? all : all.first
    end

    # A session that lasts as long as the block. Returns its data.
    def during(options)
      finished = false
      # In here, since an interrupt may raise when it has just begun.
      begin
        Recording.start(options)
        yield
        finished = true
      ensure
        data = finished ? stop : (stop_despite_exception if Recording.started_with?(options))
      end
      data
    end

    # The block's own exception (or throw, or break) is what the caller must see: a profile that
    # cannot be written becomes a line on stderr.
    def stop_despite_exception
      Recording.stop
      nil
    rescue Error => error
      Error.complain error.message
      nil
    end
  end
end
