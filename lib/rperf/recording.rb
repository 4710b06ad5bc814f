# frozen_string_literal: true

require_relative "first_use"
require_relative "native"
require_relative "formats"
require_relative "layout_proof"
require_relative "output_file"
require_relative "own_thread"
require_relative "readers"
require_relative "thread_names"
require_relative "undisturbed"

module Rperf
  # The Ruby part of a session: its options, and the handling of its profile. The native part owns
  # the session itself. Profiles go from here to files as Native::Profile, without a data Hash.
  class Recording
    # Largest value that a file can hold: a signed number of 64 bits.
    MOST = (1 << 63) - 1
    # Maximum number of distinct samples in a period of a session that only readers keep: twice the
    # number sent. An agent and a recorder have several copies of a period, of 70 bytes a sample.
    CONTINUOUS = 32_768
    private_constant :MOST, :CONTINUOUS

    # A forked child still has this Recording, but no session.
    @current = nil
    @kept = nil
    @guest = nil
    @unreturned = nil
    @watchers = {}

    class << self
      # Calls the block whenever a session has begun or ended, of whichever owner, until `unwatch`.
      # The block must neither wait nor raise: a signal handler of the program may begin a session.
      # name: that of the part that watches; it replaces the block that had this name
      def watch(name, &changed) = @watchers = {**@watchers, name => changed}

      # Ends what `watch` began.
      def unwatch(name) = @watchers = @watchers.except(name)

      # Starts a session; a guest gives way. Raises Rperf::Error if another session runs already or
      # none can start.
      #
      # keeps: whether samples that the program has not read are kept for it
      # guest_of: the name of the part that starts a guest, a text
      def start(options, keeps: true, guest_of: nil)
        give_way(guest_of)
        raise Error, "a session runs already: stop it with Rperf.stop before you start another" if Native.running?
        ThreadNames.ensure
        LayoutProof.ensure unless options[:signal] == false
        recording = new(options, keeps:)
        # (Samples that are kept one by one are not merged, so they have no limit here.)
        sample_limit = CONTINUOUS unless keeps || options[:timeline]
        native = {**options.for_native, direct: direct?(options), sample_limit:}
        # An interrupt, such as Thread#kill or a timeout, must not lose a session that has begun.
        Undisturbed.run do
          give_way(guest_of) # Another thread may have begun a guest meanwhile.
          Native.start(**native, own_threads: OwnThread.all)
          guest_of ? (@started_by, @guest, @kept = guest_of, recording, recording) : @unreturned = nil
          @current = recording
        end
      rescue Error
        recording&.abandon
        raise
      ensure
        tell_watchers
      end

      # Returns whether the running session was started with this very Options object.
      def started_with?(options) = Native.running? && @current&.options.equal?(options)

      # Ends the session, and handles its profiles as the options ask. Returns what the block makes
      # of the Native::Profile of each mode, without a block these, or nil if no session ran. Raises
      # Rperf::Error if an output file cannot be written. An interrupt that comes meanwhile is
      # raised afterwards. If an exception prevents the return, `unreturned` is what the block made.
      #
      # stat: at the program's end, the figures of its process (see ProcessStat), for the profile
      # gc: whether a full collection comes first, in mode heap; nil: as the options say
      def stop(stat: nil, gc: nil)
        recording = @current # Another thread may start the next one while this one's profile is made.
        return if recording.nil? || (recording.equal?(@kept) && stat.nil?)
        made = returned = nil
        profiles = Undisturbed.run do
          ended = recording.finish { stat ? Native.stop_at_end(stat) : Native.stop(gc) } or next
          @current = nil if @current.equal?(recording)
          tell_watchers unless stat # The process ends.
          ended = recording.with_children(ended)
          made = yield ended if block_given?
          recording.deliver(ended) unless recording.waits?
          ended
        end
        recording.deliver(profiles) if profiles && recording.waits?
        returned = true
        made || profiles
      ensure
        @unreturned = made if made && !returned
      end

      # Returns what the last `stop` could not return, once; nil if there is nothing. The program's
      # next session replaces it.
      def unreturned = @unreturned.tap { @unreturned = nil }

      # Starts a session that the program has not requested: it goes on when the program calls
      # Rperf.stop, and ends when the program starts its own. Takes and raises the same as `start`.
      # by: the name of the part that starts it, a text
      def start_guest(options, keeps: true, by: "control") = start(options, keeps:, guest_of: by)

      # Returns the running guest, or nil.
      def guest = (@guest if Native.running? && @guest.equal?(@current))

      # Returns the name of the part that has started the running session, a text.
      def started_by = guest ? @started_by : "program"

      # Ends the guest. Returns the Native::Profile of each mode.
      def stop_guest = end_guest.tap { tell_watchers }

      # Returns the status of the running session; nil if none runs.
      def status = (@current.status if @current && Native.running?)

      # Returns the value of an option of the running session; nil if none runs.
      def option(name) = @current&.options&.[](name)

      # Returns the Children of the running session; nil if it has none, or if none runs.
      def children = (@current&.children if Native.running?)

      # Raises ArgumentError if these cannot be values of a sample.
      def check_sample(weight, values)
        raise ArgumentError, "weight: must be a whole number from 1 to #{MOST}, not #{Error.shown(weight)}" unless count?(weight, 1)
        name, value = values.find { |_name, number| !count?(number, 0) }
        raise ArgumentError, "#{name}: must be a whole number from 0 to #{MOST}, not #{Error.shown(value)}" if name
        raise ArgumentError, "samples: is the number of samples in pprof files: give the value another name" if values.key?(:samples)
      end

      # Makes the Recording of a session that runs already, since this time of Native.now_ns.
      def take_over(options, began_ns) = @current = new(options, began_ns:)

      # Keeps the session running to the end of the process: it belongs to the parent of this
      # process, so the program's Rperf.stop does not end it.
      def keep = @kept = @current

      # Returns what the block makes of the Native::Profile of each mode so far, without a block
      # these, or nil if no session runs. With `clear`, the next ones begin where these end. `gc`
      # and `born` are those of Rperf.snapshot. Raises Rperf::Error if samples are kept one by one,
      # ArgumentError if `born` is invalid.
      def snapshot(clear:, gc: false, born: nil, &)
        check_births(born, clear) unless born.nil?
        return unless @current && Native.running?
        @current.snapshot(clear:, gc:, born:, &)
      end

      # Returns the Readers of the running session; nil if none runs. Raises Rperf::Error if samples
      # are kept one by one.
      def current_readers = (@current.merged_readers if @current && Native.running?)

      # Returns whether the running session knows which objects are in use.
      def heap? = Native.running? && @current&.heap?

      private

      def check_births(born, clear)
        FirstUse.prepare { require_relative "births" }
        Births.check(born, clear:)
      end

      # Ends a guest for a session of the program.
      def give_way(guest_of) = (end_guest if guest && guest_of.nil?)

      def end_guest
        recording = @guest
        profiles = recording.finish { Native.stop(nil) }
        # The program may have started its own meanwhile.
        @current = nil if @current.equal?(recording)
        @kept = nil if @kept.equal?(recording)
        @guest = nil if @guest.equal?(recording)
        Array(profiles)
      end

      def tell_watchers = @watchers.each_value(&:call)

      def direct?(options)
        return false unless options.objects?
        FirstUse.prepare { require_relative "allocation_proof" }
        direct = AllocationProof.direct?(options)
        if options[:malloc]
          FirstUse.prepare { require_relative "malloc_proof" }
          MallocProof.check(direct:)
        end
        direct
      end

      def count?(number, least) = number.is_a?(Integer) && number.between?(least, MOST)
    end

    # Raises Rperf::Error if its child processes cannot be profiled.
    def initialize(options, keeps: true, began_ns: Native.now_ns)
      @options = options
      @frequency = options[:frequency]
      @readers = Readers.new(keeps:)
      @began_ns = began_ns
      @children = watch_children if options[:inherit]
    end

    # The session's Options, and its Children, if these are profiled, too.
    attr_reader :options, :children

    # Discards the children of a session that did not begin.
    def abandon = @children&.discard

    # Returns whether mode heap is one of the modes.
    def heap? = modes.include?(:heap)

    # Changes the frequency of the session, which must have modes of time, unless it has ended.
    def frequency=(frequency)
      @frequency = frequency
      @readers.frequency = frequency
    end

    # Returns the modes, the frequency, and the time since the start.
    def status
      timed = {frequency: @frequency}.compact
      {modes: modes, **timed, started_at: (Time.now - seconds).round(3).utc.iso8601(3), seconds: seconds.round(1)}
    end

    # Returns the profiles so far: see Recording.snapshot.
    def snapshot(clear:, gc:, born:, &)
      merged_readers.snapshot(clear:, gc:, born: born && Births.moments(born, modes:), &)
    end

    # Ends the session by the block; see Readers#finish.
    def finish(&) = @readers.finish(&)

    # Returns the Readers. Raises Rperf::Error if samples are kept one by one.
    def merged_readers
      return @readers if @options[:aggregate]
      raise Error, "a snapshot needs merged samples: start the session without 'aggregate: false'"
    end

    # Returns the profiles, merged with those of the child processes.
    def with_children(profiles) = @children ? @children.merge(profiles) : profiles

    # Returns whether `deliver` may wait for those who read what it writes.
    def waits? = @options[:verbose] || (@options[:output] && OutputFile.new(@options[:output]).special?)

    # Prints the statistics and writes the output files, as the options ask.
    def deliver(profiles)
      profiles.each { |profile| report(profile) } if @options[:verbose]
      Formats.write_each(profiles, *@options.values_at(:output, :mode, :format)) if @options[:output]
    end

    private

    # Returns the time since the start; the clock of the system may be set meanwhile.
    def seconds = (Native.now_ns - @began_ns) / 1e9

    def modes = Array(@options[:mode])

    def watch_children
      FirstUse.prepare { require_relative "children" }
      Children.new(@options)
    end

    def report(profile)
      FirstUse.prepare { require_relative "statistics" }
      Error.say(Statistics.new(profile).to_s)
    end
  end
end
