# frozen_string_literal: true

require_relative "native"
require_relative "segments"

module Rperf
  # All that read one session: the program, by Rperf.snapshot and Rperf.stop, and each Reader. None
  # takes anything from another. When one of them has read, what the session has collected since the
  # last time is a segment, which the others have still to read.
  class Readers
    # keeps: whether the program's part is kept where it does not read itself
    def initialize(keeps: true)
      @lock = Thread::Mutex.new
      @own = Segments.new(limit: keeps ? nil : 0)
      @others = {}.compare_by_identity
      @pid = Process.pid
    end

    # From here on the reader gets everything. Returns whether the session still runs.
    def open(reader, limit:)
      synchronize do
        profiles = close_segment or return false
        @own.add(profiles)
        @others[reader] = Segments.new(limit:)
        true
      end
    end

    # The reader needs nothing any more.
    def close(reader) = synchronize { @others.delete(reader)&.release }

    # What the reader has not read yet: a Native::Profile of each mode. nil where the session has
    # ended and all was read, and in a forked child: it was the parent's.
    def take(reader, gc: false)
      return if @pid != Process.pid
      synchronize do
        profiles = native_segment(gc:)
        @own.add(profiles) if profiles
        shared = hand_out(profiles, except: reader) if profiles
        @others.fetch(reader).take(shared)
      end
    end

    # What the program has not read yet, as Rperf.snapshot does it; nil where no session runs.
    def snapshot(clear:, gc:, born:)
      synchronize do
        return Native.snapshot(clear, gc, born) if born
        clear ? read(close_segment(gc:)) : @own.join(native(false, gc))
      end
    end

    # The session ends by the block, which returns its profiles. Returns what the program has not
    # read yet; nil where none ran. (Where it has ended, another one may run.)
    def finish
      synchronize do
        profiles = @ended ? [] : Array(yield)
        next if profiles.empty?
        @ended = true
        hand_out(profiles)
        @own.take(profiles)
      end
    end

    # Whether the session has ended. (Another one may run.)
    def ended? = @ended == true

    private

    def read(profiles) = profiles && @own.take(profiles)

    # What the session has collected since the last segment, which readers have to read, too; nil
    # where it has ended: another one may run.
    def close_segment(gc: false) = native_segment(gc:)&.tap { |profiles| hand_out(profiles) }

    def native_segment(gc: false) = (native(true, gc) unless @ended)

    # What readers have to read, and keep: a copy that they share, without labels that no sample
    # has. Of a server, most units of work have none.
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

    # One at a time. A signal handler may not wait for a lock: it goes on alone.
    def synchronize
      entered = false
      never_interrupted_between_readers { @lock.synchronize { entered = true; yield } }
    rescue ThreadError
      raise if entered
      raise Error, "a profile cannot be read in a signal handler while a thread reads it: read it in a thread" if @lock.locked?
      yield
    end

    # A segment that was closed is handed out.
    def never_interrupted_between_readers(&)
      @others.empty? ? yield : Thread.handle_interrupt(Object => :never, &)
    end
  end

  # Reads the session that runs: every sample from here on, once, whatever others read of it. For
  # what watches a program from outside while the program, or `rperf record`, has its own session.
  class Reader
    # Bytes of memory that what is not read yet may take. Beyond it, the oldest part is lost, and
    # counted as such ("segment limit"). A minute of a server has some 200 KB.
    LIMIT = 16 << 20

    # Raises Rperf::Error when no session runs, or when it keeps its samples one by one.
    def self.open(limit: LIMIT)
      new(Recording.current_readers, limit)
    end

    def initialize(readers, limit)
      @readers = readers
      return if @readers&.open(self, limit:)
      raise Error, "no session runs: start one with Rperf.start, or the program with rperf record"
    end

    # What was recorded since it was opened, or has last taken: an Array of Native::Profile, one for
    # each mode of the session. nil where the session has ended and everything was taken.
    # gc: whether a heap profile has a full collection first
    def take(gc: false) = @readers.take(self, gc:)

    # Whether the session has ended: the rest can be taken once more.
    def ended? = @readers.ended?

    # It takes nothing any more. (What it has not taken is not lost: it was its copy.)
    def close = @readers.close(self)

    # Without what it has not read.
    def inspect = "#<#{self.class}>"
  end
end
