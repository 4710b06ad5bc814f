# frozen_string_literal: true

require_relative "handler_lock"
require_relative "native"
require_relative "segments"
require_relative "undisturbed"

module Rperf
  # All readers of one session: the program, by Rperf.snapshot and Rperf.stop, and each Reader. No
  # reader takes samples from another. When one of them reads, the samples since the last read
  # become a segment, which the others still have to read.
  class Readers
    # Maximum memory of the profile so far, in bytes, in a session of an agent or a recorder. Beyond
    # it the profile begins anew, and the samples until then count as lost for it ("segment limit").
    SO_FAR = 2 << 20

    # keeps: whether all samples that the program has not read are kept for it
    def initialize(keeps: true)
      @lock = HandlerLock.new
      @own = Segments.new(limit: keeps ? nil : SO_FAR)
      @others = {}.compare_by_identity
      @pid = Process.pid
    end

    # Adds a reader, which gets every sample from here on. Returns whether the session still runs.
    def open(reader, limit:)
      alone do
        profiles = close_segment or next false
        @own.add(profiles)
        @others[reader] = Segments.new(limit:)
        true
      end
    end

    # Removes a reader.
    def close(reader) = alone { @others.delete(reader)&.release }

    # Returns the samples unread by the reader: a Native::Profile of each mode. nil if the session
    # has ended and all was read, and in a forked child, since the session is the parent's.
    def take(reader, gc: false)
      return if @pid != Process.pid
      alone do
        profiles = native_segment(gc:)
        shared = hand_out(profiles, except: reader) if profiles
        @own.add(shared) if shared
        @others.fetch(reader).take(shared)
      end
    end

    # Returns what the block makes of the samples unread by the program, for Rperf.snapshot; without
    # a block, these; nil if no session runs. With `clear` they are read afterwards, unless an
    # exception keeps the result from the caller.
    def snapshot(clear:, gc:, born:, &made)
      made ||= :itself.to_proc
      return synchronize { hand_over(made) { close_segment(gc:)&.then { |profiles| @own.take(profiles) } } } if clear
      made.call(synchronize { born ? Native.snapshot(false, gc, born) : @own.join(native(false, gc)) })
    end

    # Ends the session by the block, which returns its profiles. Returns the samples unread by the
    # program; nil if no session ran. (If this session has ended, another one may run.)
    def finish
      alone do
        profiles = @ended ? [] : Array(yield)
        next if profiles.empty?
        @ended = true
        hand_out(profiles)
        @own.take(profiles)
      end
    end

    # Changes the frequency of the session, unless it has ended. (Another one may run.)
    def frequency=(frequency)
      synchronize { Native.frequency = frequency unless @ended }
    end

    # Returns whether the session has ended. (Another one may run.)
    def ended? = @ended == true

    private

    # Returns what `made` makes of the samples that the block takes. Interrupts that come meanwhile
    # are raised afterwards, and the samples are unread again.
    def hand_over(made)
      taken = handed = nil
      result = without_interrupts { made.call(taken = yield) }
      handed = true
      result
    ensure
      without_interrupts { @own.add(taken) } if taken && !handed
    end

    # Returns the samples since the last segment, and hands them out to the readers; nil if the
    # session has ended: another one may run.
    def close_segment(gc: false) = native_segment(gc:)&.tap { |profiles| hand_out(profiles) }

    def native_segment(gc: false) = (native(true, gc) unless @ended)

    # Gives the readers a segment to keep: a copy that they share, without labels that no sample
    # has. In a server most units of work have no sample.
    def hand_out(profiles, except: nil)
      return if @others.empty?
      shared = Native::Profile.join([profiles], nil)
      @others.each { |reader, segments| segments.add(shared) unless reader.equal?(except) }
      shared
    end

    def native(clear, gc)
      profiles = Array(Native.snapshot(clear, gc))
      profiles unless profiles.empty?
    end

    # As `synchronize`, without interrupts: what was taken from the session is handed out.
    def alone(&) = synchronize { without_interrupts(&) }

    def without_interrupts(&) = Undisturbed.run(&)

    def synchronize(&)
      @lock.synchronize(refusal: "a profile cannot be read in a signal handler while a thread reads it: read it in a thread", &)
    end
  end

  # A reader of the running session: it gets every sample from here on once, whatever others read.
  # For code that watches a program while the program, or `rperf record`, has its own session.
  class Reader
    # Maximum memory of the unread samples, in bytes. Beyond it, the oldest part is lost, and
    # counted ("segment limit"). A minute of a server has some 200 KB.
    LIMIT = 16 << 20

    # Raises Rperf::Error if no session runs, or if it keeps its samples one by one.
    def self.open(limit: LIMIT)
      new(Recording.current_readers, limit)
    end

    def initialize(readers, limit)
      @readers = readers
      return if @readers&.open(self, limit:)
      raise Error, "no session runs: start one with Rperf.start, or the program with rperf record"
    end

    # Returns the samples since `open`, or since the last `take`: an Array of Native::Profile, one
    # for each mode of the session. nil if the session has ended and everything was taken.
    # gc: whether a heap profile has a full collection first
    def take(gc: false) = @readers.take(self, gc:)

    # Returns whether the session has ended. The rest can be taken once more.
    def ended? = @readers.ended?

    # Ends the reading. (The unread samples are not lost: they are this reader's own copy.)
    def close = @readers.close(self)

    # Returns a text without the unread samples.
    def inspect = "#<#{self.class}>"
  end
end
