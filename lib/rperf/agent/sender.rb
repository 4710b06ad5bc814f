# frozen_string_literal: true

require_relative "../own_thread"
require_relative "answer"
require_relative "backoff"
require_relative "counters"
require_relative "health"
require_relative "outbox"

module Rperf
  class Agent
    # Delivers profiles to one destination, on a thread of its own, one after the other. It waits
    # where the destination does not answer; what came meanwhile waits in the outbox.
    class Sender
      # Seconds until the next attempt where the address is wrong, or the credentials are.
      WRONG_ADDRESS = 600
      UNAUTHORIZED = 300
      # Seconds between two looks whether there are other credentials than those that were refused.
      LOOK = 5
      # How often a profile is made smaller, or sent again after an error of the server.
      HALVINGS = 1
      REPEATS = 1
      # Seconds until a thread that was killed is gone.
      KILLED = 0.1
      # Failures of the sender itself in a row that end it.
      OWN_FAILURES = 3

      # health: see Health; cpu_ns: processor time that its thread has used, in nanoseconds;
      # rejected: the Delivery that the destination refused last, or nil
      attr_reader :destination, :counters, :health, :cpu_ns, :rejected

      # destination: what has `deliver(delivery)`, which returns an Answer; see
      # Destinations::Server. log: an object with `info` and `warn`; spool: a Spool, or nil
      def initialize(destination, log:, spool: nil, backoff: Backoff.new)
        @destination, @spool, @backoff = destination, spool, backoff
        @health = Health.new(destination.name, log)
        @counters = Counters.new
        @outbox = Outbox.new { |delivery| put_aside(delivery, "outbox full") }
        @repeats = @cpu_ns = 0
      end

      # Begins to deliver.
      def start
        @thread = OwnThread.start("rperf sender") { run }
      end

      # Takes a Delivery over.
      def push(delivery)
        @counters.taken!
        @outbox.push(delivery)
      end

      # How many profiles wait.
      def waiting = @outbox.length

      # About how many bytes of memory they take.
      def size = @outbox.size

      # Waits until everything has been delivered, for so many seconds. Whether it was.
      def flush(seconds) = @outbox.drained?(seconds)

      # Ends: what still waits is dropped. Where the destination was well, it has so many seconds
      # for it before.
      def stop(within: 0)
        flush(within) if within.positive? && !@health.troubled?
        @thread&.kill&.join(KILLED)
        @outbox.close.each { |delivery| put_aside(delivery, "stopped") }
        @destination.finish
      end

      private

      def run
        failures = 0
        while (delivery = @outbox.first)
          begin
            deliver(delivery)
            failures = 0
          rescue StandardError => error
            drop(delivery, "internal error")
            break @health.broken(error) if (failures += 1) == OWN_FAILURES
          end
        end
      end

      def deliver(delivery)
        return drop(delivery, "too old") if Delivery.too_old?(delivery.till)
        answer = delivery.in_flight! { @destination.deliver(delivery) }
        heard(answer)
        wait = pause_after(answer, delivery)
        @cpu_ns = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        pause(wait, answer) if wait
      end

      # Other credentials end it, where these were refused.
      def pause(seconds, answer)
        return @outbox.pause(seconds) unless answer.kind == :unauthorized
        seconds -= LOOK while seconds.positive? && @outbox.pause([seconds, LOOK].min) && !@destination.renewed?
      end

      def heard(answer)
        @counters.failed!(answer.kind.to_s.tr("_", " ")) unless answer.kind == :sent
        @health.note(answer)
      end

      # What an answer means for a delivery. Returns the seconds to wait before the next attempt, or
      # nil where there is none to wait for.
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
        leave(delivery)
        @backoff.succeeded
        @repeats = 0
        @counters.sent!(delivery.losses)
        send_spooled
      end

      # What has no place here any more goes to the spool, where there is one.
      def put_aside(delivery, cause)
        @spool && @destination.spools? && @spool.put(@destination.entry(delivery)) ? @counters.spooled! : @counters.dropped!(cause)
        delivery.release
      end

      # The server is well again: what waits in the spool goes, as long as nothing newer comes.
      def send_spooled
        return unless @spool && @destination.spools?
        going = true
        going &&= @spool.take(@destination.name) { |entry| going = resend(entry) } while going && @outbox.length.zero?
      end

      # Whether the entry is done with.
      def resend(entry)
        return spool_dropped("too old") if Delivery.too_old?(entry.till)
        answer = @destination.resend(entry)
        heard(answer)
        return true.tap { @counters.sent_from_spool! } if answer.kind == :sent
        %i[rejected too_large].include?(answer.kind) && spool_dropped(answer.kind.to_s.tr("_", " "))
      end

      def spool_dropped(cause)
        @counters.dropped!("#{cause} (spool)")
        true
      end

      # The last one stays: see Agent.rejected.
      def reject(delivery)
        @rejected&.release
        drop(@rejected = delivery, "rejected")
      end

      def leave(delivery)
        @outbox.remove(delivery)
        delivery.release unless delivery.equal?(@rejected)
      end

      def drop(delivery, cause)
        leave(delivery)
        @repeats = 0
        @counters.dropped!(cause)
        nil
      end

      def too_large(delivery)
        return drop(delivery, "too large") if delivery.scale <= 0.5**HALVINGS
        delivery.halve
        nil
      end

      def once_more(delivery, answer)
        return drop(delivery, "server error") if (@repeats += 1) > REPEATS
        @backoff.failed(answer.after)
      end
    end
  end
end
