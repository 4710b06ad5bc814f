# frozen_string_literal: true

require_relative "../own_thread"
require_relative "answer"
require_relative "backoff"
require_relative "counters"
require_relative "delivery"
require_relative "health"
require_relative "outbox"

module Rperf
  class Agent
    # Delivers profiles to one destination, one after the other, on a thread of its own. It waits
    # while the destination does not answer; new profiles wait in the outbox meanwhile.
    class Sender
      # Seconds until the next attempt after a wrong address, and after wrong credentials.
      WRONG_ADDRESS = 600
      UNAUTHORIZED = 300
      # Seconds between two looks for new credentials, after credentials were refused.
      LOOK = 5
      # How often a profile is halved, and how often it is sent again after a server's error.
      HALVINGS = 1
      REPEATS = 1
      # Maximum time until a killed thread has ended, in seconds.
      KILLED = 0.1
      # Maximum time until what waits at the end is in the spool, in seconds. (Encoding and writing
      # wait for the threads that compute, some time slices for each profile.)
      SPOOLING = 0.5
      # Causes of lost profiles with lines of their own in the log, or without one.
      LOGGED = ["rejected", "internal error", "stopped"].freeze
      # Number of failures in a row of the sender itself that end it.
      OWN_FAILURES = 3

      # health: see Health; cpu_ns: processor time that its thread has used, in nanoseconds;
      # rejected: the Delivery that the destination refused last, or nil
      attr_reader :destination, :counters, :health, :cpu_ns, :rejected

      # destination: an object whose `deliver(delivery)` returns an Answer; see
      # Destinations::Server. log: an object with `info` and `warn`; spool: a Spool, or nil; look:
      # seconds between two looks for new credentials; spooling: see SPOOLING
      def initialize(destination, log:, spool: nil, backoff: Backoff.new, look: LOOK, spooling: SPOOLING)
        @destination, @spool, @backoff, @look, @spooling = destination, spool, backoff, look, spooling
        @health = Health.new(destination.name, log)
        @counters = Counters.new
        @outbox = Outbox.new { |delivery| put_aside(delivery, "outbox full") }
        @cpu_ns = 0
      end

      # Starts the thread that delivers.
      def start
        @thread = OwnThread.start("rperf sender") { run }
      end

      # Puts a Delivery into the outbox.
      def push(delivery)
        @counters.taken!
        @outbox.push(delivery)
      end

      # Number of profiles that wait.
      def waiting = @outbox.length

      # Approximate bytes of memory that the profiles take.
      def size = @outbox.size

      # Waits at most `seconds` until everything has been delivered. Returns whether it was.
      def flush(seconds) = @outbox.drained?(seconds)

      # Ends the sender. A destination that works has `within` seconds before. Then waiting profiles
      # go to the spool, or are dropped where there is none or it takes too long.
      def stop(within: 0)
        flush(within) if within.positive? && !@health.troubled?
        @thread&.kill&.join(KILLED)
        till = now + @spooling
        @outbox.close.each { |delivery| put_aside(delivery, "stopped", now < till) }
        @destination.finish
      end

      private

      def run
        failures = 0
        while (delivery = @outbox.first)
          begin
            deliver(delivery)
            failures = 0
          rescue Exception => error # rubocop:disable Lint/RescueException -- WebMock's is no StandardError
            drop(delivery, "internal error")
            break @health.broken(error) if (failures += 1) == OWN_FAILURES
          end
        end
      end

      def deliver(delivery)
        return drop(delivery, "too old") if Delivery.too_old?(delivery.till)
        answer, wait = delivery.in_flight! { attempt(delivery) }
        @cpu_ns = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        pause(wait, answer) if wait
      end

      # Returns the Answer, and the seconds to wait, or nil. Until the answer has been acted on, the
      # delivery has its place: the log may be slow.
      def attempt(delivery)
        answer = @destination.deliver(delivery)
        heard(answer)
        [answer, pause_after(answer, delivery)]
      end

      # Waits. Where credentials were refused, new ones end the wait.
      def pause(seconds, answer)
        return @outbox.pause(seconds) unless answer.kind == :unauthorized
        seconds -= @look while seconds.positive? && @outbox.pause([seconds, @look].min) && !@destination.renewed?
      end

      def heard(answer)
        @counters.failed!(answer.kind.to_s.tr("_", " ")) unless answer.kind == :sent
        @health.note(answer)
      end

      # Acts on an Answer for a delivery. Returns the seconds to wait before the next attempt, or
      # nil for none.
      def pause_after(answer, delivery)
        case answer.kind
        when :sent then done(delivery)
        when :rejected then reject(delivery)
        when :too_large then too_large(delivery)
        when :once_more then once_more(delivery, answer)
        when :unauthorized then @destination.renewed? ? @backoff.failed : UNAUTHORIZED
        when :wrong_address then WRONG_ADDRESS
        else @backoff.failed(answer.after)
        end
      end

      def done(delivery)
        @counters.sent!(delivery.losses)
        leave(delivery)
        @backoff.succeeded
        send_spooled
      end

      # Puts a delivery without a place here into the spool, or drops it where that is not possible.
      def put_aside(delivery, cause, in_time = true)
        in_time && spooled?(delivery) ? @counters.spooled! : lost(cause)
        delivery.release
      end

      # Puts a delivery into the spool, and counts what had to make room. Returns whether it did.
      def spooled?(delivery)
        return unless @spool && @destination.spools?
        @spool.put(@destination.entry(delivery)) { lost("spool full") }
      rescue SystemCallError => error
        @health.lost("the spool cannot be written (#{Error.reason(error)})")
        false
      end

      # Counts a dropped profile. The log says so, unless another line does.
      def lost(cause)
        @counters.dropped!(cause)
        @health.lost("profiles are dropped (#{cause})") unless LOGGED.include?(cause)
      end

      # Sends waiting requests of the spool, since the server works again, until a newer one comes.
      def send_spooled
        return unless @spool && @destination.spools?
        going = true
        going &&= @spool.take(@destination.id) { |entry| going = resend(entry) } while going && @outbox.length.zero?
      end

      # Sends an entry of the spool. Returns whether the entry can be removed.
      def resend(entry)
        return spool_dropped("too old") if Delivery.too_old?(entry.till)
        answer = @destination.resend(entry)
        heard(answer)
        return true.tap { @counters.sent_from_spool! } if answer.kind == :sent
        %i[rejected too_large].include?(answer.kind) && spool_dropped(answer.kind.to_s.tr("_", " "))
      end

      def spool_dropped(cause)
        lost("#{cause} (spool)")
        true
      end

      # Drops a refused delivery, and keeps the last such profile: see Agent.rejected.
      def reject(delivery)
        @rejected&.release
        drop(@rejected = delivery, "rejected")
      end

      # Gives up a delivery's place. It is counted before: flush ends when no delivery is left.
      def leave(delivery)
        @outbox.remove(delivery)
        delivery.release unless delivery.equal?(@rejected)
      end

      def drop(delivery, cause)
        lost(cause)
        leave(delivery)
        nil
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      def too_large(delivery)
        return drop(delivery, "too large") if delivery.scale <= 0.5**HALVINGS
        delivery.halve
        nil
      end

      def once_more(delivery, answer)
        return drop(delivery, "server error") if (delivery.repeats += 1) > REPEATS
        @backoff.failed(answer.after)
      end
    end
  end
end
