# frozen_string_literal: true

require_relative "native"
require_relative "formats"
require_relative "layout_proof"
require_relative "own_thread"
require_relative "readers"
require_relative "thread_names"

module Rperf
  # What Ruby keeps for one session: its options, and what is to be done with its profile. The
  # native part owns the session itself. Profiles go from here to files as Native::Profile, without
  # a data Hash.
  class Recording
    # What a file has room for: a signed number of 64 bits.
    MOST = (1 << 63) - 1
    # Distinct samples of a period that a session which only readers keep has room for, twice what
    # is sent of one: an agent and a recorder have several copies of a period, of 70 bytes a sample.
    CONTINUOUS = 32_768
    private_constant :MOST, :CONTINUOUS

    # A forked child still has it, without a session.
    @current = nil
    @kept = nil
    @guest = nil

    class << self
      # Starts a session; a guest gives way. Raises Rperf::Error when another one runs already or
      # none can start.
      #
      # keeps: whether what no reader takes is kept, for the program to read
      # guest_of: what starts a guest, a text
      def start(options, keeps: true, guest_of: nil)
        stop_guest if guest
        raise Error, "a session runs already: stop it with Rperf.stop before you start another" if Native.running?
        ThreadNames.ensure
        LayoutProof.ensure unless options[:signal] == false
        recording = new(options, keeps:)
        # (Samples that are kept one by one are not merged.)
        sample_limit = CONTINUOUS unless keeps || options[:timeline]
        native = {**options.for_native, direct: direct?(options), sample_limit:}
        # A thread may be killed, or out of time, at any moment: what has begun can be ended.
        Thread.handle_interrupt(Object => :never) do
          Native.start(**native, own_threads: OwnThread.all)
          @started_by, @guest, @kept = guest_of, recording, recording if guest_of
          @current = recording
        end
      rescue Error
        recording&.abandon
        raise
      end

      # Whether a session runs that was started with these options, this very object.
      def started_with?(options) = Native.running? && @current&.options.equal?(options)

      # Ends the session, and does with its profiles what the options ask for. Returns the
      # Native::Profile of each mode, or nil when no session ran. Raises Rperf::Error when an output
      # file cannot be written.
      #
      # stat: where the program has ended, what its process used (see ProcessStat); becomes part of
      # the profile
      # gc: whether a full collection comes first, in mode heap; nil: as the options say
      def stop(stat: nil, gc: nil)
        recording = @current # Another thread may start the next one while this one's profile is made.
        return if recording && recording.equal?(@kept) && stat.nil?
        profiles = recording&.finish { stat ? Native.stop_at_end(stat) : Native.stop(gc) } or return
        @current = nil if @current.equal?(recording)
        recording.deliver(profiles)
      end

      # Starts a session that the program has not asked for: it goes on when the program calls
      # Rperf.stop, and ends when the program starts its own. Takes and raises what start does.
      # by: what starts it, a text
      def start_guest(options, keeps: true, by: "control") = start(options, keeps:, guest_of: by)

      # The guest that runs, or nil.
      def guest = (@guest if Native.running? && @guest.equal?(@current))

      # What has started the session that runs, a text.
      def started_by = guest ? @started_by : "program"

      # Ends the guest. Returns the Native::Profile of each mode.
      def stop_guest
        recording = @guest
        profiles = recording.finish { Native.stop(nil) }
        # The program may have started its own meanwhile.
        @current = nil if @current.equal?(recording)
        @kept = nil if @kept.equal?(recording)
        @guest = nil if @guest.equal?(recording)
        Array(profiles)
      end

      # What there is to say about the session that runs; nil where none does.
      def status = (@current.status if @current && Native.running?)

      # Whether the session profiles only what is in blocks of Rperf.profile.
      def defer? = @current&.defer? == true

      # Raises ArgumentError where these cannot be values of a sample.
      def check_sample(weight, values)
        raise ArgumentError, "weight: must be a whole number from 1 to #{MOST}, not #{weight.inspect}" unless count?(weight, 1)
        name, value = values.find { |_name, number| !count?(number, 0) }
        raise ArgumentError, "#{name}: must be a whole number from 0 to #{MOST}, not #{value.inspect}" if name
        raise ArgumentError, "samples: is the number of samples in pprof files: give the value another name" if values.key?(:samples)
      end

      # For a session that runs already.
      def take_over(options) = @current = new(options)

      # The session that runs belongs to the parent of this process: only the end of the process
      # ends it.
      def keep = @kept = @current

      # The Native::Profile of each mode so far, or nil when no session runs. With `clear`, the next
      # ones begin where these end. `gc` and `born` are those of Rperf.snapshot. Raises Rperf::Error
      # where samples are kept one by one, ArgumentError where `born` makes no sense.
      def snapshot(clear:, gc: false, born: nil)
        return unless @current && Native.running?
        @current.snapshot(clear: clear ? true : false, gc:, born:)
      end

      # The Readers of the session that runs; nil where none does. Raises Rperf::Error where samples
      # are kept one by one.
      def current_readers = (@current.merged_readers if @current && Native.running?)

      # Whether a session runs that says which objects are in use.
      def heap? = Native.running? && @current&.heap?

      private

      def direct?(options)
        return false unless options.objects?
        require_relative "allocation_proof"
        AllocationProof.direct?(options).tap { |direct| check_malloc(options, direct) if options[:malloc] }
      end

      def check_malloc(options, direct)
        require_relative "malloc_proof"
        MallocProof.check(options, direct:)
      end

      def count?(number, least) = number.is_a?(Integer) && number.between?(least, MOST)
    end

    # Raises Rperf::Error where its child processes cannot be profiled.
    def initialize(options, keeps: true)
      @options = options
      @readers = Readers.new(keeps:)
      @started_at = Time.now
      @children = children if options[:inherit]
    end

    # An Options.
    attr_reader :options

    # The session did not begin.
    def abandon = @children&.discard

    # Whether mode heap is one of its modes.
    def heap? = modes.include?(:heap)

    # What it samples, and since when.
    def status
      timed = {frequency: @options[:frequency]}.compact
      {modes: modes, **timed, started_at: @started_at.round(3).utc.iso8601(3), seconds: (Time.now - @started_at).round(1)}
    end

    # See Recording.defer?.
    def defer? = @options[:defer]

    # See Recording.snapshot.
    def snapshot(clear:, gc:, born:)
      merged_readers.snapshot(clear:, gc:, born: moments(born, clear:))
    end

    # The session ends by the block; see Readers#finish.
    def finish(&) = @readers.finish(&)

    # Raises Rperf::Error where samples are kept one by one.
    def merged_readers
      return @readers if @options[:aggregate]
      raise Error, "a snapshot needs merged samples: start the session without 'aggregate: false'"
    end

    # Writes the output files and the statistics, as far as the options ask for them. Returns the
    # profiles, with those of the child processes.
    def deliver(profiles)
      profiles = @children.merge(profiles) if @children
      profiles.each { |profile| report(profile) } if @options[:verbose]
      Formats.write_each(profiles, *@options.values_at(:output, :mode, :format)) if @options[:output]
      profiles
    end

    private

    # The moments of a `born` of Rperf.snapshot; see Births.
    def moments(born, clear:)
      return if born.nil?
      require_relative "births"
      Births.moments(born, modes:, clear:)
    end

    def modes = Array(@options[:mode])

    def children
      require_relative "children"
      Children.new(@options)
    end

    def report(profile)
      require_relative "statistics"
      Error.say(Statistics.new(profile).to_s)
    end
  end
end
